// The program as end-to-end tests start it: under the flags that it derives itself from config.yaml and the agents.
import { join } from "node:path";
import { sourceCommand } from "../../cli/self_command.ts";

/** What a process is started in. */
export interface Surroundings {
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** Commands that write what the flags are derived from, or the program itself. */
const UNSCOPED: readonly (string | undefined)[] = ["setup", "update"];

/**
 * Gives program and first arguments for each command line of one home. INKLING_TEST_FLAGS=full has every test run with
 * all the permissions that Inkling may ever need instead.
 */
export class ScopedCommands {
  readonly #watched: readonly string[];
  readonly #known = new Map<string, readonly string[]>();

  /** `watched` are the folders and files that flags are derived from: they are derived anew when these change. */
  constructor(watched: readonly string[]) {
    this.#watched = watched;
  }

  commandFor(args: readonly string[], surroundings: Surroundings): string[] {
    const isFull = Deno.env.get("INKLING_TEST_FLAGS") === "full";
    const flags = isFull || UNSCOPED.includes(args[0])
      ? undefined
      : this.#flags(args, surroundings);
    if (flags === undefined) return sourceCommand();
    const isService = args[0] === "start" && !args.some((arg) => /^(-d|--daemon)$/.test(arg));
    // Every other command may start the service, or end it.
    return sourceCommand(isService ? flags : [...flags, "--allow-run"]);
  }

  /** What `inkling permissions` prints; undefined where config.yaml is broken, so that nothing can be derived. */
  #flags(args: readonly string[], surroundings: Surroundings): readonly string[] | undefined {
    const place = placeOf(args);
    const key = JSON.stringify([place, surroundings, this.#watched.map(stampsOf)]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [program = "", ...first] = sourceCommand();
    const { success, stdout } = new Deno.Command(program, {
      ...surroundings,
      // This process stands still meanwhile: a collector in it could not take anything.
      env: { ...surroundings.env, OTEL_SDK_DISABLED: "true" },
      args: [...first, "permissions", "--json", ...place],
      stdin: "null",
      stderr: "null",
    }).outputSync();
    if (!success) return undefined;
    const { flags } = JSON.parse(new TextDecoder().decode(stdout)) as {
      flags: { flag: string }[];
    };
    const found = flags.map(({ flag }) => flag);
    this.#known.set(key, found);
    return found;
  }
}

/** What of a command line says which service is meant. */
function placeOf(args: readonly string[]): string[] {
  return args.flatMap((arg, index) =>
    /^(-w|--workspace|--host)$/.test(arg) ? [arg, args[index + 1] ?? ""] : []
  );
}

/** Names and times of everything at and below a path. */
function stampsOf(path: string): unknown {
  try {
    const { mtime, size, isDirectory } = Deno.statSync(path);
    if (!isDirectory) return [path, mtime, size];
    return [...Deno.readDirSync(path)].map(({ name }) => stampsOf(join(path, name)));
  } catch (error) {
    // Not there, or gone meanwhile.
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
