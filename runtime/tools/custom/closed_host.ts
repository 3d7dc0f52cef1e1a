// Runs Inkling's program as a process without permissions, which reads one input, prints its result, and exits.
import { type ProgramEnd, runProgram, type RunProgramOptions } from "../processes/run_program.ts";
import type { ToolContext } from "../definition/tool.ts";
import type { HostRole } from "./host_messages.ts";
import { closedHostCommand, type HostProgram } from "./host_program.ts";

/** The time limit for the start of the process in milliseconds, sufficient on a busy machine. */
const START_MS = 30_000;

/** The program of the process, and its working folder. */
export interface ClosedHostOptions {
  program: HostProgram;
  cwd: string;
}

/** The signal, the clock and the redactor of the tool call that needs the process. */
export type ClosedHostContext = Pick<ToolContext, "signal" | "clock" | "redactor">;

/**
 * Runs a task in a new process and returns the output. The time limit begins when the process prints an empty line, which
 * reports its start. Throws ToolFailure if the process cannot be started, and the
 * signal's reason on abort.
 */
export async function runClosedHost(
  { role, ...work }:
    & { role: Extract<HostRole, "check" | "pdf">; input: string }
    & Pick<RunProgramOptions, "timeoutMs" | "maxOutputBytes">,
  { signal, clock, redactor }: ClosedHostContext,
  { program, cwd }: ClosedHostOptions,
): Promise<ProgramEnd> {
  const command = closedHostCommand(program, { role, cwd });
  const bounds = { startMs: START_MS, killGraceMs: 0, signal, clock, redactor };
  const end = await runProgram(command.program, { ...command, ...work, ...bounds });
  return { ...end, stdout: end.stdout.trimStart() };
}
