// Starts a host process and exchanges messages with it. A host process is a child of the service that runs tools, one call
// at a time.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import type { ProcessGroup } from "../../../base/programs/process_group.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { startGroup } from "../processes/start_group.ts";
import type { FromHost, HostWork, ToHost } from "./host_messages.ts";
import { type PrintedLine, readHostOutput } from "./host_output.ts";
import { parseHostMessage } from "./host_reply.ts";

/** The maximum output of a tool during one call in bytes. A tool that prints more is killed. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const LAST_LINES = 20;
const REPEAT_MS = 500;

/** The time limit for an answer of a host process. */
export interface AnswerLimit {
  clock: Clock;
  withinMs: number;
}

/** The options of HostProcess. */
export interface HostProcessOptions {
  /** The command that starts the process, with or without a sandbox (see hostCommand). */
  command: SandboxedProgram;
  /** The kinds of permission that tools in this process get. */
  keeps: ("net" | "env")[];
}

/** A host process. It does one piece of work at a time, and several in its life. The caller must end it with `kill`. */
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

  /** Starts the process. Throws ToolFailure if it cannot be started. */
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
    // The output is read to its end, because the last message is the reason for the end of the process.
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

  /** Sends a message to the process. Does nothing if the process has ended: `next` reports that. */
  send(message: ToHost): void {
    // A line break precedes the message, because a tool may have read the end of the previous line (see
    // #sendUntilConfirmed).
    const line = `\n${JSON.stringify(message)}\n`;
    this.#input.write(new TextEncoder().encode(line)).catch(() => {/* It ended: see above. */});
  }

  /**
   * Returns the next message of the process, or undefined if the process has ended and all messages were returned. Calls
   * before that message arrives return the same promise.
   */
  next(): Promise<FromHost | undefined> {
    return this.#next ??= this.#take().finally(() => this.#next = undefined);
  }

  /** Returns true if the process answers a ping in time. Send no other message meanwhile. */
  isResponsive(limits: AnswerLimit): Promise<boolean> {
    return this.#sendUntilConfirmed({ type: "ping" }, "pong", limits);
  }

  /**
   * Sends work to the process. Returns true if the process confirms it in time. `next` returns the messages that follow.
   */
  startWork(work: HostWork, limits: AnswerLimit): Promise<boolean> {
    return this.#sendUntilConfirmed(work, "started", limits);
  }

  /**
   * Prepares for new work: forgets the output of the previous work, and calls `onLine` for each line that the tool prints
   * from now on.
   */
  resetOutput(onLine: (line: PrintedLine) => void): void {
    this.#onLine = onLine;
    this.#outputBytes = 0;
    this.#lastLines = [];
  }

  /** Returns the reason for the end of the process, as a clause. Waits for that end. */
  async describeEnd(): Promise<string> {
    const { code, signal } = await this.ended;
    if (this.#trouble !== undefined) return this.#trouble;
    const printed = this.#lastLines.join("\n");
    if (/JavaScript (heap )?out of memory/.test(printed)) return "it ran out of memory";
    return signal === null
      ? `its process ended (exit code ${code})`
      : `its process was killed by a signal (${signal})`;
  }

  /** Kills the process and its whole process group. Waits for the exit of the process. */
  async kill(): Promise<void> {
    // After the exit, the system may give the process id to another process.
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
   * Sends a message repeatedly until the process confirms it. Returns false if it does not in time.
   *
   * Decision: messages are repeated, because a tool shares the standard input of its process, and code that it left behind
   * may read messages to the host. The host acts on each message only once (rejected: another channel, because a tool can
   * use every descriptor of its process).
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
      // The line had the prefix of messages, so only a tool that wrote into the middle of a message can be the cause.
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
