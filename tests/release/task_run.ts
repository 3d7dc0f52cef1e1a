// The tasks of release/ as processes of their own, as a person runs them.
import { REPOSITORY } from "../support/repository.ts";

/** What a task said, and its exit code. */
export interface TaskRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `deno task <name> <args>` to its end. */
export async function runReleaseTask(
  name: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<TaskRun> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", name, ...args],
    cwd: REPOSITORY,
    // Whoever runs the tests may have an image of their own.
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

/** A folder that is gone after the test. */
export async function openTempFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-release-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
