// Starts this program as a process that may do nothing but compute: it reads one input, prints its result, and is gone.
import { type ProgramEnd, runProgram } from "../processes/run_program.ts";
import type { ToolContext } from "../tool.ts";
import type { HostRole } from "./host_messages.ts";
import { hostCommand, type HostProgram } from "./host_program.ts";

/** How long the process may take to start, on a machine that is busy. */
const START_MS = 30_000;
const NOTHING = { read: [], write: [], net: [], env: [] };

/** The task of the process. It prints an empty line when it has started: its time begins then. */
export interface ClosedWork {
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
  /** A variable of the service's surroundings. */
  lookup(name: string): string | undefined;
}

/** The parts of a tool call that the process belongs to: its signal, its clock and its secrets. */
export type ClosedHostContext = Pick<ToolContext, "signal" | "clock" | "redactor">;

/** Runs the process to its end. Throws ToolFailure where it cannot be started, and the context's signal's reason. */
export async function runClosedHost(
  { role, ...work }: ClosedWork,
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
