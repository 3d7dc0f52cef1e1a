// `deno task start:scoped`: starts the service with the narrowest flags under which this workspace works. Works them out,
// then stays out of the way: the service is a child in the same terminal, and its exit code is this program's.
import { parseArgs } from "node:util";
import { sourceCommand } from "../cli/self_command.ts";
import { deriveFlags } from "../runtime/permissions/derive_flags.ts";
import { loadSettings } from "../runtime/config/settings.ts";

/** Which workspace and listener the flags are for; the service itself reads, and checks, the whole line. */
function readOptions(args: readonly string[]): {
  workspace?: string;
  host?: string;
  daemon?: boolean;
} {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: {
      workspace: { type: "string", short: "w" },
      host: { type: "string" },
      daemon: { type: "boolean", short: "d" },
      quiet: { type: "boolean", short: "q" },
      verbose: { type: "boolean", short: "v" },
    },
  });
  const { workspace, host, daemon } = values;
  return {
    ...(typeof workspace === "string" && { workspace }),
    ...(typeof host === "string" && { host }),
    ...(typeof daemon === "boolean" && { daemon }),
  };
}

/** Flags and the program behind them, on the way to its arguments. */
async function scopedCommand(args: readonly string[]): Promise<string[]> {
  const options = readOptions(args);
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? "";
  const settings = await loadSettings({ shell: Deno.env.toObject(), home, ...options });
  const { flags, remarks } = await deriveFlags(settings, options);
  for (const remark of remarks) console.error(`${remark}.`);
  // The service that -d leaves behind has the flags only; whoever starts it must be able to start something.
  const starter = options.daemon ? ["--allow-run"] : [];
  return [...sourceCommand([...flags.map(({ flag }) => flag), ...starter]), "start", ...args];
}

async function run([program = "", ...args]: readonly string[]): Promise<number> {
  const child = new Deno.Command(program, { args, cwd: Deno.cwd() }).spawn();
  // A terminal sends Ctrl+C and its own end to both; a supervisor sends its signals to this process alone.
  const hears = Deno.stdin.isTerminal() ? [] : ["SIGINT", "SIGHUP"] as const;
  let hasEnded = false;
  for (const signal of ["SIGTERM", ...hears] as const) {
    Deno.addSignalListener(signal, () => hasEnded || child.kill(signal));
  }
  if (hears.length === 0) {
    Deno.addSignalListener("SIGINT", () => {/* The service ends, then this. */});
  }
  const { code } = await child.status;
  hasEnded = true;
  return code;
}

if (import.meta.main) {
  try {
    Deno.exit(await run(await scopedCommand(Deno.args)));
  } catch (error) {
    console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
    Deno.exit(1);
  }
}
