// Checks arguments, or an answer, against a whole schema in a process with a time limit: patterns and references can make
// the check endless.
import type { ProgramEnd } from "../processes/run_program.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { type ClosedHostContext, type ClosedHostOptions, runClosedHost } from "./closed_host.ts";
import type { CheckedAnswer, CheckedArguments } from "./host_messages.ts";

const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Checks arguments in a process of its own, which is gone at the end. Throws ToolFailure for invalid arguments and for a
 * check that takes too long, and the signal's reason on abort.
 */
export async function requireValidArguments(
  checked: CheckedArguments,
  context: ClosedHostContext,
  options: ClosedHostOptions,
): Promise<void> {
  const end = await check(checked, context, options);
  if (end.exitCode !== 0) {
    const hint = end.timedOut ? " Try other arguments." : "";
    throw new ToolFailure(
      `The check of the arguments of ${checked.tool} against its schema ${
        describeFailure(end)
      }${hint}`,
    );
  }
  if (end.stdout !== "") throw new ToolFailure(end.stdout);
}

/**
 * Returns the faults of an answer, found in a process of its own. A check that takes too long counts as one fault. Rethrows
 * the signal's reason.
 */
export async function findAnswerFaults(
  checked: CheckedAnswer,
  context: ClosedHostContext,
  options: ClosedHostOptions,
): Promise<string[]> {
  const end = await check(checked, context, options);
  if (end.exitCode !== 0) {
    return [`it cannot be checked: the check against the schema ${describeFailure(end)}`];
  }
  return end.stdout === "" ? [] : JSON.parse(end.stdout) as string[];
}

async function check(
  checked: CheckedArguments | CheckedAnswer,
  context: ClosedHostContext,
  options: ClosedHostOptions,
): Promise<ProgramEnd> {
  const work = { role: "check", input: JSON.stringify(checked) } as const;
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
  return await runClosedHost({ ...work, ...limits }, context, options);
}

function describeFailure({ timedOut, stderr }: ProgramEnd): string {
  if (timedOut) {
    return `took longer than ${
      TIMEOUT_MS / 1_000
    } s: a pattern or a reference in it takes too long.`;
  }
  return /out of memory/.test(stderr)
    ? "took too much memory: its references multiply."
    : `ended its process: ${stderr.trim().split("\n")[0]}`;
}
