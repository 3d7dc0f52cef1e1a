// Measures the time that the sandbox adds to the start of an agent's program.
import { runProgram } from "../../runtime/tools/processes/run_program.ts";
import { SystemClock } from "../../base/clock.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import {
  IGNORED_WITHOUT_SANDBOX,
  noSandbox,
  systemSandbox,
} from "../../tests/runtime/sandbox/system_sandbox.ts";
import { comparePaired, type Figure, subjectAtMost } from "./paired.ts";

/**
 * Returns the figure of the sandbox, compared with the same program without a sandbox. Returns none on a system without a
 * sandbox.
 */
export async function benchSandbox(): Promise<Figure[]> {
  if (IGNORED_WITHOUT_SANDBOX) return [];
  const folder = await Deno.makeTempDir();
  const [inside, outside] = [systemSandbox(folder), noSandbox()];
  const run = async (sandbox: typeof inside) => {
    const started = { program: "true", args: [], cwd: folder, environment: { PATH: "/usr/bin" } };
    const rules = { read: [], write: [folder], closed: [], net: "none" as const };
    const { program, ...options } = await sandbox.confine(started, rules);
    await runProgram(program, {
      ...options,
      timeoutMs: 60_000,
      maxOutputBytes: 1_000,
      signal: new AbortController().signal,
      clock: new SystemClock(),
      redactor: new Redactor(() => []),
    });
  };
  try {
    const figure = await comparePaired("a program that ends at once, in the sandbox", {
      floor: () => run(outside),
      subject: () => run(inside),
      pairs: 100,
      goal: subjectAtMost(60),
    });
    return [figure];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
