// Updates an Inkling that was installed as a global npm package.
import { join } from "node:path";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { CommandContext } from "../context/context.ts";
import { DeadlineExceeded, withDeadline } from "../context/deadline.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { sanitize, toOneLine } from "../output/sanitize.ts";
import { isVersion } from "./version.ts";
import { requireVersion } from "./version_answer.ts";

/** The time limit of an npm command. npm itself stops waiting for a registry after a few minutes. */
const NPM_MS = 10 * MINUTE_MS;
const SHOWN_LINES = 8;

/** The npm package from which this program runs. */
export interface NpmPackage {
  packageName: string;
  /** The folder that contains the package's package.json. */
  directory: string;
}

/** The options of every npm command. The signal ends npm. */
interface NpmOptions {
  signal: AbortSignal;
}

/** Returns the newest version of the package in npm's registry. Throws CommandFailure if npm fails or prints no version. */
export async function newestPackage(
  context: CommandContext,
  { packageName }: NpmPackage,
  options: NpmOptions,
): Promise<string> {
  const text = await npm(context, ["view", packageName, "version"], options);
  const version = toOneLine(text);
  if (isVersion(version)) return version;
  throw new CommandFailure(
    EXIT.failed,
    `npm has no version of ${packageName}: ${version.slice(0, 100) || "no answer"}`,
  );
}

/**
 * Installs a version with `npm install -g` and checks that it starts. Throws CommandFailure if the package is not in npm's
 * global folder, or npm or the check fails.
 */
export async function updatePackage(
  context: CommandContext,
  installed: NpmPackage,
  options: NpmOptions & { version: string },
): Promise<void> {
  const { packageName, directory } = installed;
  const { version, signal } = options;
  const root = (await npm(context, ["root", "-g"], options)).trim();
  if (!await isSamePlace(join(root, packageName), directory)) {
    throw new CommandFailure(
      EXIT.failed,
      `Inkling is installed in ${directory}, which is not npm's global folder. ` +
        `Update it to ${packageName}@${version} with the tool that installed it`,
    );
  }
  context.output.note(`Installing ${packageName}@${version} with npm`);
  await npm(context, ["install", "-g", `${packageName}@${version}`], options);
  const { app } = context;
  try {
    await requireVersion(app.selfCommand, { version, clock: app.clock, signal });
  } catch (error) {
    if (!(error instanceof CommandFailure) || signal.aborted) throw error;
    throw new CommandFailure(
      EXIT.failed,
      `${error.message}\n"npm install -g ${packageName}@${app.version}" restores the old version`,
      { cause: error },
    );
  }
}

async function isSamePlace(a: string, b: string): Promise<boolean> {
  try {
    return await Deno.realPath(a) === await Deno.realPath(b);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Runs an npm command and returns its standard output. Throws CommandFailure if npm is missing, fails, or takes too long.
 */
async function npm(
  { app }: CommandContext,
  args: readonly string[],
  options: NpmOptions,
): Promise<string> {
  const name = `npm ${args.join(" ")}`;
  let result: Deno.CommandOutput;
  try {
    result = await withDeadline(app.clock, (signal) => {
      const program = Deno.build.os === "windows" ? "npm.cmd" : "npm";
      const env = { ...app.environment };
      return new Deno.Command(program, {
        args: [...args],
        env,
        clearEnv: true,
        stdin: "null",
        signal,
      })
        .output();
    }, { ms: NPM_MS, ...options });
  } catch (cause) {
    options.signal.throwIfAborted();
    const reason = cause instanceof Deno.errors.NotFound
      ? "npm is not on the PATH"
      : cause instanceof DeadlineExceeded
      ? `npm did not finish within ${NPM_MS / MINUTE_MS} minutes`
      : String(cause);
    throw new CommandFailure(EXIT.failed, `Cannot do "${name}": ${reason}`, { cause });
  }
  options.signal.throwIfAborted();
  const [stdout = "", stderr = ""] = [result.stdout, result.stderr].map((bytes) =>
    sanitize(new TextDecoder().decode(bytes))
  );
  if (result.success) return stdout;
  const lines = stderr.trim().split("\n").slice(0, SHOWN_LINES).join("\n");
  throw new CommandFailure(
    EXIT.failed,
    `"${name}" failed (exit code ${result.code})${lines === "" ? "" : `:\n${lines}`}`,
  );
}
