// Implements the role `tools`: does one piece of work after another, each in a new worker. So changed files are loaded
// again, and no state remains between calls.
import type { FromHost, HostWork, ToHost } from "../host_messages.ts";
import { idleWorkExceeded, MEMORY_LIMIT_MB, memoryExceeded } from "./resource_guard.ts";
import type { HostOptions } from "./host_options.ts";
import { dropPermissions } from "./permissions.ts";
import { ToolWork } from "./tool_work.ts";

/**
 * Handles the service's messages until standard input ends, or a tool uses too much memory or processor time. Returns the
 * exit code.
 */
export async function hostTools({ input, output, clock }: HostOptions): Promise<number> {
  const voice = new MessageWriter(output);
  const host = new ToolHost(voice);
  return await Promise.race([
    host.serve(input).then(() => 0),
    idleWorkExceeded(clock, () => host.idlePeriod).then(() => 1),
    memoryExceeded(clock).then(async () => {
      const message = `It used more than ${MEMORY_LIMIT_MB} MB of memory`;
      await voice.write({ type: "ending", message });
      return 1;
    }),
  ]);
}

class ToolHost {
  readonly #voice: MessageWriter;
  #work: ToolWork | undefined;
  #works = 0;
  #begun = "";

  constructor(voice: MessageWriter) {
    this.#voice = voice;
  }

  /**
   * Returns the number of finished pieces of work if none is running and every message was sent. Else returns undefined.
   */
  get idlePeriod(): number | undefined {
    const isResting = this.#work === undefined || this.#work.ended;
    return isResting && !this.#voice.isWriting ? this.#works : undefined;
  }

  async serve(input: ReadableStream<Uint8Array>): Promise<void> {
    for await (const line of linesOf(input)) {
      const message = parseLine(line);
      switch (message?.type) {
        case undefined:
          break;
        case "hello":
          this.#voice.mark = message.mark;
          dropPermissions(["run", "ffi", "sys", "net", "env"], { keeps: message.keeps });
          break;
        case "ping":
          this.#report({ type: "pong" });
          break;
        case "describe":
        case "call":
          this.#begin(message);
          break;
        case "reply":
        case "abort":
          this.#work?.forward(message);
          break;
        default:
          message satisfies never;
      }
    }
  }

  #begin(message: HostWork): void {
    this.#report({ type: "started" });
    if (this.#begun === message.id) return;
    this.#begun = message.id;
    this.#works++;
    this.#work = new ToolWork(message, (message) => this.#report(message));
  }

  #report(message: FromHost): void {
    void this.#voice.write(message);
  }
}

/** Parses a line. Returns undefined if the line is incomplete. */
function parseLine(line: string): ToHost | undefined {
  try {
    return JSON.parse(line);
  } catch {
    // A tool shares this standard input and may have read a part of the line. The service repeats the messages that must
    // arrive.
    return undefined;
  }
}

/** A writer of messages to the service. The service recognizes the messages by their prefix `mark`. */
class MessageWriter {
  /** The prefix of each message. Tools cannot know it, because the host received it before it loaded a tool. */
  mark = "";
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #unsaid = 0;

  constructor(output: WritableStream<Uint8Array>) {
    this.#writer = output.getWriter();
  }

  /** True while a message is being written. */
  get isWriting(): boolean {
    return this.#unsaid > 0;
  }

  /** Writes a message. Resolves when it is written. */
  async write(message: FromHost): Promise<void> {
    // A line break precedes the message, because a tool may have printed an unfinished line.
    const line = `\n${this.mark}${JSON.stringify(message)}\n`;
    this.#unsaid++;
    await this.#writer.write(new TextEncoder().encode(line));
    this.#unsaid--;
  }
}

/** Yields the lines of a stream without their line endings. Drops a last line without a line ending. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // With `ignoreBOM: false`, Deno's decoder would drop a byte order mark at the beginning of every chunk, not only of the
  // first.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
