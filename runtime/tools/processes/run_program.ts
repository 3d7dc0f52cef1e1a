// Runs a program to its end, bounded in time and output, and sees that nothing of it is left.
import type { Clock } from "../../../base/clock.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { CapturedOutput, OutputRoom } from "./captured_output.ts";
import { firstOf } from "../../../base/first_of.ts";
import { KILL_GRACE_MS, type ProcessGroup, startGroup } from "./process_group.ts";

/** How long output is still read once every known process is gone: one that left the group may hold it open. */
const DRAIN_MS = 1_000;

/** What a program is run with. */
export interface RunProgramOptions {
  args: readonly string[];
  cwd: string;
  /** All of its environment: nothing is inherited. */
  environment: Readonly<Record<string, string>>;
  /** All that stands on its standard input. Absent: nothing. */
  input?: string;
  timeoutMs: number;
  /** How long it may take to print its first byte to standard output; its time begins then. Absent: it begins at once. */
  startMs?: number;
  /** The most bytes of standard output and standard error together; what is more is read and dropped. */
  maxOutputBytes: number;
  signal: AbortSignal;
  clock: Clock;
  /** Keeps half a secret from standing where the output was cut or broke off. */
  redactor: Redactor;
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
 * Runs a program. When it ends, its time is over or the signal aborts, its whole
 * process group is ended: SIGTERM, then SIGKILL for what is left. Throws ToolFailure when it cannot be started, and the
 * signal's reason when that aborts; the group is gone in each case.
 */
export async function runProgram(
  program: string,
  options: RunProgramOptions,
): Promise<ProgramEnd> {
  const { timeoutMs, maxOutputBytes, signal, clock, killGraceMs = KILL_GRACE_MS } = options;
  signal.throwIfAborted();
  const { input } = options;
  const group = startGroup(program, { ...options, stdin: input === undefined ? "null" : "piped" });
  const written = input === undefined ? undefined : writeAll(group.child.stdin, input);
  const room = new OutputRoom(maxOutputBytes);
  const stdout = new CapturedOutput(group.child.stdout, room);
  const stderr = new CapturedOutput(group.child.stderr, room);
  const { status } = group;
  if (options.startMs !== undefined) {
    const begun = Promise.race([stdout.begun, status]);
    await firstOf(begun, { within: { clock, ms: options.startMs }, signal });
  }
  const first = await firstOf(status, { within: { clock, ms: timeoutMs }, signal });
  const { code, signal: endedBy } = first.kind === "done"
    ? first.value
    : await endGroup(group, { clock, graceMs: killGraceMs });
  const streams = Promise.all([stdout.ended, stderr.ended, written]);
  if ((await firstOf(streams, { within: { clock, ms: DRAIN_MS } })).kind !== "done") {
    await Promise.all([stdout.letGo(), stderr.letGo()]);
  }
  if (first.kind === "aborted") throw signal.reason;
  // A program that is ended may have been in the middle of a line.
  const isWhole = first.kind === "done" && endedBy === null;
  const textOf = ({ text, torn }: CapturedOutput) =>
    isWhole && !torn ? text : options.redactor.withoutTornEnd(text);
  return {
    exitCode: first.kind === "done" && endedBy === null ? code : null,
    timedOut: first.kind === "late",
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    cut: room.cut,
  };
}

/** Ends a group that still runs, at first politely. */
async function endGroup(
  group: ProcessGroup,
  options: { clock: Clock; graceMs: number },
): Promise<Deno.CommandStatus> {
  group.signal("SIGTERM");
  const { clock, graceMs } = options;
  await firstOf(group.status, { within: { clock, ms: graceMs } });
  group.signal("SIGKILL");
  return await group.status;
}

async function writeAll(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // It ended without reading all of it, as programs may.
  }
}
