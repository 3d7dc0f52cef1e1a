// Runs the tasks of release/ in separate processes, as a person does.
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../support/repository.ts";

/** A target other than this machine, because an executable for this machine is started at once. */
export const FOREIGN_TARGET = Deno.build.arch === "x86_64"
  ? "aarch64-unknown-linux-gnu"
  : "x86_64-unknown-linux-gnu";

/** Matches the message about a missing runtime image. */
export const IMAGE_MISSING = new RegExp(
  `^No executable for ${FOREIGN_TARGET}: Deno's runtime image \\S+ cannot be downloaded \\(.+\\); .*\n$`,
);

/** The output and the exit code of a task. */
export interface TaskRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `deno task <name> <args>` to its end. */
export function runReleaseTask(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<TaskRun> {
  return runDeno(["task", "--quiet", name, ...args], env);
}

/** Compiles the program in a folder for FOREIGN_TARGET. */
export function runCompile(
  folder: string,
  output: string,
  env: Record<string, string>,
): Promise<TaskRun> {
  const script = fileURLToPath(new URL("./compile_folder.ts", import.meta.url));
  const flags = ["--no-check", "--no-prompt", "--allow-read", "--allow-write", "--allow-run"];
  return runDeno(["run", ...flags, script, folder, output, FOREIGN_TARGET], env);
}

async function runDeno(args: readonly string[], env: Record<string, string>): Promise<TaskRun> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: REPOSITORY,
    // The tests' environment could name another runtime image.
    clearEnv: true,
    env: { ...without("DENORT_BIN"), NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

function without(variable: string): Record<string, string> {
  const { [variable]: _, ...rest } = Deno.env.toObject();
  return rest;
}
