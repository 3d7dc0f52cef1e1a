// Exchanges MCP messages over a program's standard input and output, one JSON object per line. The client package's
// transport is not used: it has no process groups, waits for pipes that a grandchild holds open, and does not use Inkling's
// Clock.
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ServerConfinement } from "./server_sandbox.ts";
import type { Clock } from "../../../base/clock.ts";
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

/** The options of StdioTransport. */
export interface StdioOptions {
  clock: Clock;
  limits: McpLimits;
  confinement: ServerConfinement;
}

type Program = Extract<ServerDefinition, { kind: "program" }>;

/** A connection to an MCP server that is a program. It starts and ends the program. */
export class StdioTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #program: Program;
  readonly #options: StdioOptions;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  readonly #budget: MinuteBudget;
  #process: ServerProcess | undefined;
  /** The number of sent bytes that the program has not read yet. */
  #unreadBytes = 0;
  #fault: RangeError | undefined;
  #hasSentMessage = false;
  /** Resolves when all messages that were read have been passed to `onmessage`. */
  #received = Promise.resolve();

  constructor(program: Program, options: StdioOptions) {
    this.#program = program;
    this.#options = options;
    this.#budget = new MinuteBudget(options.clock, MAX_MESSAGES_PER_MINUTE);
  }

  get endReason(): string | undefined {
    const exit = this.#process?.exit;
    if (this.#fault !== undefined) return this.#fault.message;
    if (exit === undefined) return undefined;
    const reason = `it ended with ${exit}`;
    return this.#hasSentMessage ? reason : this.#withHint(reason);
  }

  get stderr(): string {
    return this.#process?.stderr ?? "";
  }

  takeRefusedHosts(): string[] {
    return this.#process?.takeRefusedHosts() ?? [];
  }

  /** Starts the program. Rejects with StartFailure. */
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
    // A program may send any number of requests and never read the responses.
    if (this.#unreadBytes > MAX_MESSAGE_BYTES) {
      this.#disconnect(new RangeError("it does not read its input"));
    }
    if (this.#fault !== undefined) return;
    this.#unreadBytes += bytes.length;
    try {
      await this.#process.write(bytes);
    } catch {
      // The program no longer reads its input, so it is ended. Waiting calls then fail with the reason of its end.
      void this.#process.end();
    } finally {
      this.#unreadBytes -= bytes.length;
    }
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  /**
   * Returns the reason with a hint if the program's arguments seem to be paths of the workspace: the program starts in
   * another folder, where it does not find them.
   */
  #withHint(reason: string): string {
    const hint = describeMisplacedPaths(this.#program);
    return hint === undefined ? reason : `${reason}; ${hint}`;
  }

  /** Splits output into lines and passes on the messages. Resolves after that, so that reading a fast program pauses. */
  async #read(chunk: Uint8Array): Promise<void> {
    if (this.#fault !== undefined) return;
    let lines: string[];
    try {
      lines = this.#lines.push(chunk);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#disconnect(error);
      return;
    }
    await (this.#received = this.#deliver(lines));
  }

  async #deliver(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      this.#receive(line);
      // Other code runs between two messages, because the client drops progress messages that arrive together with the
      // response.
      await undefined;
    }
  }

  #disconnect(fault: RangeError): void {
    this.#fault ??= fault;
    this.#process?.kill();
  }

  #receive(line: string): void {
    if (this.#fault !== undefined) return;
    if (this.#budget.take() < 0) {
      this.#disconnect(new RangeError(TOO_MANY_MESSAGES));
      return;
    }
    try {
      const message = deserializeMessage(line);
      this.#hasSentMessage = true;
      this.onmessage?.(message);
    } catch (error) {
      // Usually the line is a greeting for the person who started the program. It is logged, and the connection continues.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** A splitter of a stream of bytes at line feeds. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The pieces of the line whose end has not arrived. */
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the next piece of the stream. Returns the lines that end in it. Throws RangeError if a line exceeds the limit. */
  push(piece: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (;;) {
      const end = piece.indexOf(0x0a, start);
      this.#add(piece.subarray(start, end < 0 ? undefined : end));
      if (end < 0) return lines;
      lines.push(this.#take());
      start = end + 1;
    }
  }

  #add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#pieces = [];
      throw new RangeError(`a line of its output is over ${this.#maxBytes / 1024 / 1024} MB`);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): string {
    const line = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of this.#pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#size = 0;
    return new TextDecoder().decode(line);
  }
}
