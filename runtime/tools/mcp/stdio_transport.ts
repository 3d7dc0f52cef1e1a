// MCP messages over the standard input and output of a program, one JSON a line. It takes the place of the client package's
// own transport, which knows no process group, waits for pipes that a grandchild holds, and runs without our Clock.
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ServerConfinement } from "./server_sandbox.ts";
import type { Clock } from "../../../base/clock.ts";
import { LineSplitter } from "./line_splitter.ts";
import {
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_PER_MINUTE,
  type McpLimits,
  TOO_MANY_MESSAGES,
} from "./mcp_limits.ts";
import { MinuteBudget } from "./minute_budget.ts";
import { describeMisplacedPaths } from "./servers_file/misplaced_paths.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import type { ServerLink } from "./server_link.ts";
import { ServerProcess, StartFailure } from "./server_process.ts";

/** What a transport works with. */
export interface StdioOptions {
  clock: Clock;
  limits: McpLimits;
  confinement: ServerConfinement;
}

type Program = Extract<ServerDefinition, { kind: "program" }>;

/** A connection to a program that it starts and ends. */
export class StdioTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #program: Program;
  readonly #options: StdioOptions;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  readonly #budget: MinuteBudget;
  #process: ServerProcess | undefined;
  /** Bytes that were sent and that the program has not taken yet. */
  #untaken = 0;
  #fault: RangeError | undefined;
  #hasSpoken = false;
  /** Resolves when all that has been read so far is delivered. */
  #received = Promise.resolve();

  constructor(program: Program, options: StdioOptions) {
    this.#program = program;
    this.#options = options;
    this.#budget = new MinuteBudget(options.clock, MAX_MESSAGES_PER_MINUTE);
  }

  get end(): string | undefined {
    const exit = this.#process?.exit;
    if (this.#fault !== undefined) return this.#fault.message;
    if (exit === undefined) return undefined;
    const reason = `it ended with ${exit}`;
    return this.#hasSpoken ? reason : this.#withHint(reason);
  }

  get stderr(): string {
    return this.#process?.stderr ?? "";
  }

  takeRefusedHosts(): string[] {
    return this.#process?.takeRefusedHosts() ?? [];
  }

  /** Starts the program; rejects with StartFailure. */
  async start(): Promise<void> {
    try {
      this.#process = await ServerProcess.start(this.#program, {
        ...this.#options,
        onOutput: (chunk) => this.#read(chunk),
      });
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      throw new StartFailure(this.#withHint(error.message), { cause: error });
    }
    this.#process.ended.then(() => this.#received).then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined) throw new TypeError("send() before start()");
    const bytes = new TextEncoder().encode(serializeMessage(message));
    // A program can ask for as many answers as it likes, and never read them.
    if (this.#untaken > MAX_MESSAGE_BYTES) {
      this.#cutOff(new RangeError("it does not read its input"));
    }
    if (this.#fault !== undefined) return;
    this.#untaken += bytes.length;
    try {
      await this.#process.write(bytes);
    } catch {
      // The program no longer reads. Its end tells every waiting call why.
      void this.#process.end();
    } finally {
      this.#untaken -= bytes.length;
    }
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  /** A program that never sent a message may have looked for files of the workspace in its own folder. */
  #withHint(reason: string): string {
    const hint = describeMisplacedPaths(this.#program);
    return hint === undefined ? reason : `${reason}; ${hint}`;
  }

  /** Resolves when all is delivered: a program that writes faster than that has to wait. */
  async #read(chunk: Uint8Array): Promise<void> {
    if (this.#fault !== undefined) return;
    let lines: string[];
    try {
      lines = this.#lines.push(chunk);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#cutOff(error);
      return;
    }
    await (this.#received = this.#deliver(lines));
  }

  async #deliver(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      this.#receive(line);
      // One at a time: the client drops what a server said on the way when the answer is handed over in the same breath.
      await undefined;
    }
  }

  #cutOff(fault: RangeError): void {
    this.#fault ??= fault;
    this.#process?.kill();
  }

  #receive(line: string): void {
    if (this.#fault !== undefined) return;
    if (this.#budget.take() < 0) {
      this.#cutOff(new RangeError(TOO_MANY_MESSAGES));
      return;
    }
    try {
      const message = deserializeMessage(line);
      this.#hasSpoken = true;
      this.onmessage?.(message);
    } catch (error) {
      // Usually a greeting for the person who started the program: not a message, and no reason to end.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
