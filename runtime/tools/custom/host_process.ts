// One host process: a child of this service that does one piece of a tool's work at a time.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { type ProcessGroup, startGroup } from "../processes/process_group.ts";
import type { FromHost, HostWork, ToHost } from "./host_messages.ts";
import { type PrintedLine, readHostOutput } from "./host_output.ts";
import { parseHostMessage } from "./host_reply.ts";

/** The maximum output of a tool during one call. A tool that prints more is killed. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const LAST_LINES = 20;
const REPEAT_MS = 500;

/** The time limit for an answer of a host. */
export interface AnswerLimit {
  clock: Clock;
  withinMs: number;
}

/** The start options of a host. */
export interface HostProcessOptions {
  /** Its command, confined or not: see confineHost(). */
  command: SandboxedProgram;
  /** The kinds of permission that some tool of it gets. */
  keeps: ("net" | "env")[];
}

/** Started once, then used for one piece of work after another. The caller must end it. */
export class HostProcess {
  readonly #group: ProcessGroup;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  /** Resolves when the process has exited and all of its output was read. */
  readonly ended: Promise<Deno.CommandStatus>;
  readonly #messages: FromHost[] = [];
  #next: Promise<FromHost | undefined> | undefined;
  #woken = Promise.withResolvers<void>();
  #outputBytes = 0;
  #trouble: string | undefined;
  #lastLines: string[] = [];
  #gone = false;
  #onLine: (line: PrintedLine) => void = () => {};

  /** Starts the process. Throws ToolFailure when it cannot be started. */
  constructor({ command, keeps }: HostProcessOptions) {
    this.#group = startGroup(command.program, { ...command, stdin: "piped" });
    const { child } = this.#group;
    this.#input = child.stdin.getWriter();
    const mark = crypto.randomUUID();
    const common = {
      onLine: (line: PrintedLine) => this.#takeLine(line),
      onBytes: (bytes: number) => this.#count(bytes),
    };
    const outputs = Promise.all([
      readHostOutput(child.stdout, {
        ...common,
        source: "stdout",
        mark,
        onMessage: (line) => this.#takeMessage(line),
      }),
      readHostOutput(child.stderr, { ...common, source: "stderr" }),
    ]);
    // Waits for all of its output, because the last message is the reason for its end.
    this.ended = Promise.all([this.#group.status, outputs]).then(([status]) => {
      this.#gone = true;
      this.#wake();
      return status;
    });
    this.send({ type: "hello", mark, keeps });
  }

  /** True if the process has ended. */
  get hasEnded(): boolean {
    return this.#gone;
  }

  /** Sends a message to the host. Does nothing for a host that has ended; `next` reports its end. */
  send(message: ToHost): void {
    // Starts with a line break, because the previous line may have lost its end: see startWork().
    const line = `\n${JSON.stringify(message)}\n`;
    this.#input.write(new TextEncoder().encode(line)).catch(() => {/* It ended: see above. */});
  }

  /**
   * Returns the host's next message, or undefined when the process has ended and no message is left. A second call before
   * the next message gets the same promise.
   */
  next(): Promise<FromHost | undefined> {
    return this.#next ??= this.#take().finally(() => this.#next = undefined);
  }

  /** Returns true if the host answers in time. Send no other message meanwhile. */
  isResponsive(limits: AnswerLimit): Promise<boolean> {
    return this.#sendUntilConfirmed({ type: "ping" }, "pong", limits);
  }

  /** Sends work to the host. Returns true if the host started it in time; `next` returns the messages that follow. */
  startWork(work: HostWork, limits: AnswerLimit): Promise<boolean> {
    return this.#sendUntilConfirmed(work, "started", limits);
  }

  /** Resets the output of the previous work, and sends each line that the tool prints to `onLine`. */
  resetOutput(onLine: (line: PrintedLine) => void): void {
    this.#onLine = onLine;
    this.#outputBytes = 0;
    this.#lastLines = [];
  }

  /** Returns the reason for the end of the process, as the end of a sentence. Call it only after the end. */
  async describeEnd(): Promise<string> {
    const { code, signal } = await this.ended;
    if (this.#trouble !== undefined) return this.#trouble;
    const printed = this.#lastLines.join("\n");
    if (/JavaScript (heap )?out of memory/.test(printed)) return "it ran out of memory";
    return signal === null
      ? `its process ended (exit code ${code})`
      : `its process was killed by a signal (${signal})`;
  }

  /** Kills the process and all processes that it started, and waits for its exit. */
  async kill(): Promise<void> {
    // After the exit the process id may belong to another process.
    if (!this.#gone) this.#group.signal("SIGKILL");
    await this.ended;
    await this.#input.abort().catch(() => {/* The other end is gone, as intended. */});
  }

  async #take(): Promise<FromHost | undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined || this.#gone) return message;
      await this.#woken.promise;
    }
  }

  /**
   * Sends a message until it is confirmed.
   *
   * Decision: a tool shares its process's standard input, and a reader that it left behind may swallow messages to the
   * host. So a message is repeated, and acted on once (rejected: another channel, because a tool reaches every descriptor
   * of its process).
   */
  async #sendUntilConfirmed(
    message: ToHost,
    sign: FromHost["type"],
    { clock, withinMs }: AnswerLimit,
  ): Promise<boolean> {
    for (let waited = 0; waited < withinMs; waited += REPEAT_MS) {
      this.send(message);
      const heard = await firstOf(this.#waitFor(sign), { within: { clock, ms: REPEAT_MS } });
      if (heard.kind === "done") return heard.value;
    }
    return false;
  }

  async #waitFor(sign: FromHost["type"]): Promise<boolean> {
    for (;;) {
      const message = await this.next();
      if (message === undefined) return false;
      if (message.type === sign) return true;
    }
  }

  #takeMessage(line: string): void {
    try {
      this.#messages.push(parseHostMessage(line));
    } catch {
      // Only a tool that wrote into the middle of a message can cause this.
      this.#kill("it corrupted the messages of its own process");
    }
    this.#wake();
  }

  #takeLine(line: PrintedLine): void {
    this.#lastLines = [...this.#lastLines, line.text].slice(-LAST_LINES);
    this.#onLine(line);
  }

  #count(bytes: number): void {
    this.#outputBytes += bytes;
    if (this.#outputBytes <= MAX_OUTPUT_BYTES) return;
    this.#kill(`it printed more than ${MAX_OUTPUT_BYTES / 1024 / 1024} MB`);
  }

  #kill(trouble: string): void {
    this.#trouble ??= trouble;
    this.#group.signal("SIGKILL");
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }
}
