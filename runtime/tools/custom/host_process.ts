// One host process: a child of this service that runs one piece of a tool's work at a time.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { type ProcessGroup, startGroup } from "../processes/process_group.ts";
import type { FromHost, HostWork, ToHost } from "./host_messages.ts";
import { type PrintedLine, readHostOutput } from "./host_output.ts";
import { parseHostMessage } from "./host_reply.ts";

/** A tool that prints more than this during one call is ended. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const LAST_LINES = 20;
const REPEAT_MS = 500;

/** How long to wait for a host. */
export interface HostPatience {
  clock: Clock;
  withinMs: number;
}

/** What a host is started with. */
export interface HostProcessOptions {
  /** Its command, in the sandbox or not: see confineHost(). */
  command: SandboxedProgram;
  /** Kinds of permission that some tool of it gets. */
  keeps: ("net" | "env")[];
}

/** Started once, then used for one piece of work after the other. Whoever starts it must end it. */
export class HostProcess {
  readonly #group: ProcessGroup;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  /** Resolves when the process is gone and all it said was read. */
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
    // Not before all of its output was read: its last message says why it ended.
    this.ended = Promise.all([this.#group.status, outputs]).then(([status]) => {
      this.#gone = true;
      this.#wake();
      return status;
    });
    this.send({ type: "hello", mark, keeps });
  }

  /** Whether it has ended. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Says something to the host. For a host that is gone this does nothing; `next` reports its end. */
  send(message: ToHost): void {
    // The line before may have lost its end: see begin().
    const line = `\n${JSON.stringify(message)}\n`;
    this.#input.write(new TextEncoder().encode(line)).catch(() => {/* It ended: see above. */});
  }

  /**
   * The host's next message; undefined when the process has ended and there is no further one. A caller that asks again
   * before there is one waits for the same.
   */
  next(): Promise<FromHost | undefined> {
    return this.#next ??= this.#take().finally(() => this.#next = undefined);
  }

  /** Whether the host answers within this time. Nothing else may be asked of it meanwhile. */
  answers(limits: HostPatience): Promise<boolean> {
    return this.#insist({ type: "ping" }, "pong", limits);
  }

  /** Gives the host work. Returns whether it took it up within this time; what follows comes from `next`. */
  begin(work: HostWork, limits: HostPatience): Promise<boolean> {
    return this.#insist(work, "started", limits);
  }

  /** Forgets the output of the work before; each line that the tool prints from now on goes to `onLine`. */
  beginWork(onLine: (line: PrintedLine) => void): void {
    this.#onLine = onLine;
    this.#outputBytes = 0;
    this.#lastLines = [];
  }

  /** Why the process ended, as the end of a sentence. Only once it has. */
  async describeEnd(): Promise<string> {
    const { code, signal } = await this.ended;
    if (this.#trouble !== undefined) return this.#trouble;
    const printed = this.#lastLines.join("\n");
    if (/JavaScript (heap )?out of memory/.test(printed)) return "it ran out of memory";
    return signal === null
      ? `its process ended (exit code ${code})`
      : `its process was ended by a signal (${signal})`;
  }

  /** Ends the process, with all that it may have started, and waits until it is gone. */
  async end(): Promise<void> {
    // A number that is free again may be somebody else's.
    if (!this.#gone) this.#group.signal("SIGKILL");
    await this.ended;
    await this.#input.abort().catch(() => {/* Its other end is gone, which is what is wanted. */});
  }

  async #take(): Promise<FromHost | undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined || this.#gone) return message;
      await this.#woken.promise;
    }
  }

  /**
   * Says something until it is heard. Decision: a tool shares the standard input of its process, and a reader that it
   * left behind takes what is said to the host; so it is said again, and done once (rejected: another channel, for a
   * tool reaches every descriptor of its process).
   */
  async #insist(
    message: ToHost,
    sign: FromHost["type"],
    { clock, withinMs }: HostPatience,
  ): Promise<boolean> {
    for (let waited = 0; waited < withinMs; waited += REPEAT_MS) {
      this.send(message);
      const heard = await firstOf(this.#hear(sign), { within: { clock, ms: REPEAT_MS } });
      if (heard.kind === "done") return heard.value;
    }
    return false;
  }

  async #hear(sign: FromHost["type"]): Promise<boolean> {
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
      // Only a tool that wrote into the middle of a message can have done that.
      this.#kill("it disturbed the messages of its own process");
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
