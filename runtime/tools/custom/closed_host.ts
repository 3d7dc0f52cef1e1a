// Starts this program as a process that can only compute: it reads one input, prints its result, and exits.
import { type ProgramEnd, runProgram } from "../processes/run_program.ts";
import type { ToolContext } from "../definition/tool.ts";
import type { HostRole } from "./host_messages.ts";
import { hostCommand, type HostProgram } from "./host_program.ts";

/** The time limit for the start of the process on a busy machine. */
const START_MS = 30_000;
const NOTHING = { read: [], write: [], net: [], env: [] };

/** The task of the process. It prints an empty line when it has started; its time limit counts from there. */
export interface ClosedTask {
  role: Extract<HostRole, "check" | "pdf">;
  input: string;
  timeoutMs: number;
  maxOutputBytes: number;
}

/** The program that the process runs, its folder and its variables. */
export interface ClosedHostOptions {
  program: HostProgram;
  /** The process's working folder. */
  cwd: string;
  /** Returns a variable of the service's environment. */
  lookup(name: string): string | undefined;
}

/** The parts of a tool call's context that the process needs: signal, clock and redactor. */
export type ClosedHostContext = Pick<ToolContext, "signal" | "clock" | "redactor">;

/** Runs the process to its end. Throws ToolFailure when it cannot be started, and the signal's reason on abort. */
export async function runClosedHost(
  { role, ...work }: ClosedTask,
  { signal, clock, redactor }: ClosedHostContext,
  { program, cwd, lookup }: ClosedHostOptions,
): Promise<ProgramEnd> {
  const command = hostCommand(program, {
    role,
    permissions: NOTHING,
    closed: { read: [], write: [] },
    args: [],
    lookup,
    variables: {},
  });
  const bounds = { startMs: START_MS, killGraceMs: 0, signal, clock, redactor };
  const end = await runProgram(program.program, { ...command, ...work, ...bounds, cwd });
  return { ...end, stdout: end.stdout.trimStart() };
}
