// Runs a program to its end with limits for time and output, and leaves no process behind.
import type { Clock } from "../../../base/clock.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { firstOf } from "../../../base/first_of.ts";
import { endGroup, KILL_GRACE_MS, startGroup } from "./process_group.ts";

/** The time to read output after every known process has ended: a process that left the group may hold the pipe open. */
const DRAIN_MS = 1_000;

/** The options of one program's run. */
export interface RunProgramOptions {
  args: readonly string[];
  cwd: string;
  /** The whole environment; nothing is inherited. */
  environment: Readonly<Record<string, string>>;
  /** The content of standard input. Absent: none. */
  input?: string;
  timeoutMs: number;
  /** The time until the first byte on standard output; `timeoutMs` starts after it. Absent: `timeoutMs` starts at once. */
  startMs?: number;
  /** The maximum size of standard output and standard error together. Output over it is read and dropped. */
  maxOutputBytes: number;
  signal: AbortSignal;
  clock: Clock;
  /** Removes half a secret where the output was cut. */
  redactor: Redactor;
  /** The time between SIGTERM and SIGKILL. */
  killGraceMs?: number;
}

/** The result of a program's run. */
export interface ProgramEnd {
  /** Null when a signal or the time limit ended the program. */
  exitCode: number | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  /** True if output was dropped. */
  cut: boolean;
}

/**
 * Runs a program. When it ends, the time is over or the signal aborts, its whole process group is ended: SIGTERM, then
 * SIGKILL. Throws ToolFailure when the program cannot be started, and the signal's reason on abort. The group is gone in
 * each case.
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
  const room = new OutputSpace(maxOutputBytes);
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
    await Promise.all([stdout.release(), stderr.release()]);
  }
  if (first.kind === "aborted") throw signal.reason;
  // A terminated program may have stopped in the middle of a line.
  const isWhole = first.kind === "done" && endedBy === null;
  const textOf = ({ text, torn }: CapturedOutput) =>
    isWhole && !torn ? text : options.redactor.trimPartialSecret(text);
  return {
    exitCode: first.kind === "done" && endedBy === null ? code : null,
    timedOut: first.kind === "late",
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    cut: room.cut,
  };
}

async function writeAll(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The program ended without reading all of its input, which is allowed.
  }
}

/** The space that the streams of one program share. */
class OutputSpace {
  #left: number;
  #cut = false;

  /** `bytes` is the maximum kept of all streams together. */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** True if some output did not fit. */
  get cut(): boolean {
    return this.#cut;
  }

  /** Returns as much of the chunk's beginning as there is space for. */
  take(chunk: Uint8Array): Uint8Array {
    if (chunk.length > this.#left) this.#cut = true;
    const taken = chunk.subarray(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

/** One output stream that is being read. */
class CapturedOutput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  /** Settles when the stream has ended or was released. */
  readonly ended: Promise<void>;
  readonly #begun = Promise.withResolvers<void>();
  #text = "";
  #letGo = false;
  #torn = true;

  constructor(stream: ReadableStream<Uint8Array>, room: OutputSpace) {
    this.#reader = stream.getReader();
    this.ended = this.#read(room);
  }

  /** Resolves at the first bytes, or at the stream's end. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** The text read so far, without a character that the limit split. */
  get text(): string {
    return this.#text;
  }

  /** True if the text may be incomplete: it was cut, the stream was released, or it still continues. */
  get torn(): boolean {
    return this.#torn;
  }

  /** Stops reading: an unknown process may hold the other end open for ever. */
  async release(): Promise<void> {
    this.#letGo = true;
    await this.#reader.cancel();
    await this.ended;
  }

  async #read(room: OutputSpace): Promise<void> {
    let isCut = false;
    for (;;) {
      const { value, done } = await this.#reader.read();
      this.#begun.resolve();
      if (done) {
        this.#torn = isCut || this.#letGo;
        return;
      }
      const taken = room.take(value);
      isCut ||= taken.length < value.length;
      this.#text += this.#decoder.decode(taken, { stream: true });
    }
  }
}
