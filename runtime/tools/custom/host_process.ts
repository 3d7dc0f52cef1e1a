// Starts a host process and exchanges messages with it. A host process is a child of the service that describes the tools of
// a file or runs one call, and then exits.
import type { ProcessGroup } from "../../../base/programs/process_group.ts";
import type { SandboxedProgram } from "../../sandbox/sandbox_rules.ts";
import { startGroup } from "../processes/start_group.ts";
import type { FromHost, HostTask, HostWork, ToHost } from "./host_messages.ts";
import { type PrintedLine, readHostOutput } from "./host_output.ts";
import { parseHostMessage } from "./host_reply.ts";

/** The maximum output of a tool during one call in bytes. A tool that prints more is killed. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const LAST_LINES = 20;

/** A host process. It does one piece of work. The caller must end it with `kill`. */
export class HostProcess {
  readonly #group: ProcessGroup;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  /** Resolves when the process has exited and all of its output was read. */
  readonly ended: Promise<Deno.CommandStatus>;
  readonly #messages: FromHost[] = [];
  #woken = Promise.withResolvers<void>();
  #outputBytes = 0;
  #trouble: string | undefined;
  #lastLines: string[] = [];
  #gone = false;

  /**
   * Starts the process by its command (see hostCommand). `onLine` is called for each line that the tool prints. Throws
   * ToolFailure if the process cannot be started.
   */
  constructor(
    { command, work, onLine }: {
      command: SandboxedProgram;
      work: HostWork;
      onLine?: ((line: PrintedLine) => void) | undefined;
    },
  ) {
    this.#group = startGroup(command.program, { ...command, stdin: "piped" });
    const { child } = this.#group;
    this.#input = child.stdin.getWriter();
    const mark = crypto.randomUUID();
    const common = {
      onLine: (line: PrintedLine) => {
        this.#lastLines = [...this.#lastLines, line.text].slice(-LAST_LINES);
        onLine?.(line);
      },
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
    const task: HostTask = { mark, work };
    this.#write(JSON.stringify(task));
  }

  /** Sends a message to the process. Does nothing if the process has ended: `next` reports that. */
  send(message: ToHost): void {
    // A line break precedes the message, because a tool may have read the end of the previous line.
    this.#write(`\n${JSON.stringify(message)}`);
  }

  /** Returns the next message of the process, or undefined if the process has ended and all messages were returned. */
  async next(): Promise<FromHost | undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined || this.#gone) return message;
      await this.#woken.promise;
    }
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

  #write(line: string): void {
    this.#input.write(new TextEncoder().encode(`${line}\n`)).catch(
      () => {/* It ended: see send(). */},
    );
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
