// Runs a program to its end, bounded in time and output, and sees that nothing of it is left.
import type { Clock } from "../../clock.ts";
import { CapturedOutput, OutputRoom } from "./captured_output.ts";
import { KILL_GRACE_MS, type ProcessGroup, startGroup } from "./process_group.ts";

/** How long output is still read once every known process is gone: one that left the group may hold it open. */
const DRAIN_MS = 1_000;

/** What a program is run with. */
export interface RunProgramOptions {
  args: readonly string[];
  cwd: string;
  /** All of its environment: nothing is inherited. */
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The most bytes of standard output and standard error together; what is more is read and dropped. */
  maxOutputBytes: number;
  signal: AbortSignal;
  clock: Clock;
  /** Between SIGTERM and SIGKILL. */
  killGraceMs?: number;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Null: a signal ended it, or its time was over. */
  exitCode: number | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  /** Whether there was more output than is here. */
  cut: boolean;
}

/**
 * Runs a program with nothing on its standard input. When it ends, its time is over or the signal aborts, its whole
 * process group is ended: SIGTERM, then SIGKILL for who is left. Throws ToolFailure when it cannot be started, and the
 * signal's reason when that aborts; the group is gone in each case.
 */
export async function runProgram(
  program: string,
  options: RunProgramOptions,
): Promise<ProgramEnd> {
  const { timeoutMs, maxOutputBytes, signal, clock, killGraceMs = KILL_GRACE_MS } = options;
  signal.throwIfAborted();
  const group = startGroup(program, { ...options, stdin: "null" });
  const room = new OutputRoom(maxOutputBytes);
  const stdout = new CapturedOutput(group.child.stdout, room);
  const stderr = new CapturedOutput(group.child.stderr, room);
  const first = await firstOf(group.child.status, { clock, signal, timeoutMs });
  const status = first === "ended"
    ? await group.child.status
    : await endGroup(group, { clock, graceMs: killGraceMs });
  // Children that it left behind are not its result.
  group.signal("SIGKILL");
  const outputs = Promise.all([stdout.ended, stderr.ended]);
  if (await firstOf(outputs, { clock, timeoutMs: DRAIN_MS }) !== "ended") {
    await Promise.all([stdout.letGo(), stderr.letGo()]);
  }
  if (first === "aborted") throw signal.reason;
  return {
    exitCode: first === "ended" && status.signal === null ? status.code : null,
    timedOut: first === "late",
    stdout: stdout.text,
    stderr: stderr.text,
    cut: room.cut,
  };
}

/** Ends a group that still runs, at first politely. */
async function endGroup(
  group: ProcessGroup,
  options: { clock: Clock; graceMs: number },
): Promise<Deno.CommandStatus> {
  group.signal("SIGTERM");
  await firstOf(group.child.status, { clock: options.clock, timeoutMs: options.graceMs });
  group.signal("SIGKILL");
  return await group.child.status;
}

/** What comes first: the end of the work, that of the time, or the signal's abort. */
async function firstOf(
  work: Promise<unknown>,
  options: { clock: Clock; timeoutMs: number; signal?: AbortSignal },
): Promise<"ended" | "late" | "aborted"> {
  const { clock, timeoutMs, signal } = options;
  const stop = new AbortController();
  const timer = clock.sleep(
    timeoutMs,
    signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]),
  ).then(() => "late" as const, () => "aborted" as const);
  try {
    return await Promise.race([work.then(() => "ended" as const), timer]);
  } finally {
    stop.abort();
    await timer;
  }
}
