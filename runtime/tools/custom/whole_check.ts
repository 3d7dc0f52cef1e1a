// Checks arguments or an answer against a whole schema. The check runs in a process with a time limit, because patterns and
// references can make it endless.
import type { ProgramEnd } from "../processes/run_program.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { type ClosedHostContext, type ClosedHostOptions, runClosedHost } from "./closed_host.ts";
import type { CheckedAnswer, CheckedArguments } from "./host_messages.ts";

const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Checks the arguments of a call in a process of its own. Throws ToolFailure if they are invalid or the check takes too
 * long, and the signal's reason on abort. The process has ended in each case.
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
 * Checks an answer in a process of its own and returns its faults. A check that takes too long counts as a fault. Throws
 * the signal's reason on abort.
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
