// Runs a program with limits for its time and output. Leaves no process of its group behind.
import { type Clock, nextTurn } from "../../../base/clock.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { firstOf } from "../../../base/first_of.ts";
import { endGroup } from "../../../base/programs/process_group.ts";
import { startGroup } from "./start_group.ts";

/**
 * The time to continue reading output after the group has ended, in milliseconds. A process that left the group may hold
 * the pipe open.
 */
const DRAIN_MS = 1_000;
/** The default time between SIGTERM and SIGKILL, in milliseconds. */
const KILL_GRACE_MS = 2_000;

/** The options of runProgram(). */
export interface RunProgramOptions {
  args: readonly string[];
  cwd: string;
  /** The program's environment variables. It inherits no others. */
  environment: Readonly<Record<string, string>>;
  /** The content of standard input. Undefined: the input is empty. */
  input?: string;
  timeoutMs: number;
  /**
   * The maximum milliseconds of the program's start, which ends at the first byte of standard output. `timeoutMs` begins
   * then. Undefined: `timeoutMs` begins at once.
   */
  startMs?: number;
  /**
   * The maximum size of standard output and standard error together, in bytes. The output beyond it is read and dropped.
   */
  maxOutputBytes: number;
  /** Called with each part of standard output, which is then not collected and has no maximum size. */
  onOutput?: (text: string) => void;
  signal: AbortSignal;
  clock: Clock;
  /** The redactor that removes a part of a secret at the end of cut output. */
  redactor: Redactor;
  /** The time between SIGTERM and SIGKILL in milliseconds. Default: KILL_GRACE_MS. */
  killGraceMs?: number;
}

/** The exit code and the output of a program that has ended. */
export interface ProgramEnd {
  /** The exit code. Null if a signal or the time limit ended the program. */
  exitCode: number | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  /** True if output beyond `maxOutputBytes` was dropped. */
  cut: boolean;
  /** True if a process held standard output open after the end, so that the last output may be missing. */
  isTorn?: boolean;
}

/**
 * Runs a program and returns its output. Ends its process group when the program ends, its time is over, or the signal
 * aborts. Throws ToolFailure if the program cannot be started, and the signal's reason on abort. The group has ended in
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
  const stdout = new CapturedOutput(group.child.stdout, room, options.onOutput);
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
  // A program that was killed may have written only a part of a secret.
  const isWhole = first.kind === "done" && endedBy === null;
  const textOf = ({ text, torn }: CapturedOutput) =>
    isWhole && !torn ? text : options.redactor.trimPartialSecret(text);
  return {
    exitCode: first.kind === "done" && endedBy === null ? code : null,
    timedOut: first.kind === "late",
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    cut: room.cut,
    ...(options.onOutput && { isTorn: stdout.torn }),
  };
}

async function writeAll(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The program ended without reading all of its input. That is no error.
  }
}

/** The number of bytes that standard output and standard error may still add to the result. */
class OutputSpace {
  #left: number;
  /** True if the program wrote more output than the space allowed. */
  cut = false;

  /** Creates a space of `bytes` for standard output and standard error together. */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Returns the beginning of the chunk that fits, and reduces the space by its size. */
  take(chunk: Uint8Array): Uint8Array {
    if (chunk.length > this.#left) this.cut = true;
    const taken = chunk.subarray(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

/** An output stream of a program, whose text is collected. */
class CapturedOutput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  /** Settles when the stream has ended or reading was stopped. */
  readonly ended: Promise<void>;
  readonly #begun = Promise.withResolvers<void>();
  readonly #onText: ((text: string) => void) | undefined;
  #text = "";
  #letGo = false;
  #torn = true;

  constructor(
    stream: ReadableStream<Uint8Array>,
    room: OutputSpace,
    onText?: (text: string) => void,
  ) {
    this.#reader = stream.getReader();
    this.#onText = onText;
    this.ended = this.#read(room);
  }

  /** Resolves when the first bytes were read, or the stream has ended. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** The text that was read. A character at its end that the limit split is left out. */
  get text(): string {
    return this.#text;
  }

  /** True if the text may be incomplete: it was cut, reading was stopped, or the stream has not ended. */
  get torn(): boolean {
    return this.#torn;
  }

  /** Stops reading, because a process that left the group may hold the other end open for ever. */
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
      if (this.#onText !== undefined) {
        this.#onText(this.#decoder.decode(value, { stream: true }));
        // The pause allows other work to run: a pipe that is never empty would block it.
        await nextTurn();
        continue;
      }
      const taken = room.take(value);
      isCut ||= taken.length < value.length;
      this.#text += this.#decoder.decode(taken, { stream: true });
    }
  }
}
