// The check of arguments against a custom tool's whole schema: patterns and references in it can make that take for ever.
import { type ProgramEnd, runProgram } from "../processes/run_program.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { CheckedArguments } from "./host_messages.ts";
import { hostCommand, type HostProgram } from "./host_program.ts";

/** The start of the process included, on a machine that is busy. */
const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const NOTHING = { read: [], write: [], net: [], env: [] };

/** Where the check runs. */
export interface WholeCheckOptions {
  program: HostProgram;
  /** The process's working folder. */
  cwd: string;
  /** A variable of the service's surroundings. */
  lookup(name: string): string | undefined;
}

/**
 * Checks arguments in a process of its own, which is gone at the end. Throws ToolFailure with what does not fit, and where
 * the check takes too long; and the context's signal's reason.
 */
export async function requireFit(
  checked: CheckedArguments,
  context: Pick<ToolContext, "signal" | "clock" | "redactor">,
  { program, cwd, lookup }: WholeCheckOptions,
): Promise<void> {
  const { signal, clock, redactor } = context;
  const end = await runProgram(program.program, {
    ...hostCommand(program, {
      role: "check",
      permissions: NOTHING,
      closed: { read: [], write: [] },
      args: [],
      lookup,
      variables: {},
    }),
    cwd,
    input: JSON.stringify(checked),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    clock,
    redactor,
    killGraceMs: 0,
  });
  if (end.exitCode !== 0) throw new ToolFailure(describeFailure(checked.tool, end));
  if (end.stdout !== "") throw new ToolFailure(end.stdout);
}

function describeFailure(tool: string, { timedOut, stderr }: ProgramEnd): string {
  const reason = timedOut
    ? `took longer than ${
      TIMEOUT_MS / 1_000
    } s: a pattern or a reference in it takes too long. Try other arguments.`
    : /out of memory/.test(stderr)
    ? "took too much memory: its references multiply."
    : `ended its process: ${stderr.trim().split("\n")[0]}`;
  return `The check of the arguments of ${tool} against its schema ${reason}`;
}
