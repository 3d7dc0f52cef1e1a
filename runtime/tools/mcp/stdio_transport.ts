// MCP messages over the standard input and output of a program, one JSON a line. It takes the place of the client package's
// own transport, which knows no process group, waits for pipes that a grandchild holds, and runs without our Clock.
import { Buffer } from "node:buffer";
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../clock.ts";
import { MAX_MESSAGE_BYTES, type McpLimits } from "./mcp_limits.ts";
import type { ServerProgram } from "./server_definition.ts";
import { ServerProcess } from "./server_process.ts";

/** A connection to a program that it starts and ends. */
export class StdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #program: ServerProgram;
  readonly #options: { clock: Clock; limits: McpLimits };
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  #process: ServerProcess | undefined;

  constructor(program: ServerProgram, options: { clock: Clock; limits: McpLimits }) {
    this.#program = program;
    this.#options = options;
  }

  /** The program, once it has been started. */
  get process(): ServerProcess | undefined {
    return this.#process;
  }

  /** Starts the program; rejects with StartFailure. */
  // deno-lint-ignore require-await -- the port is asynchronous
  async start(): Promise<void> {
    const process = ServerProcess.start(this.#program, {
      ...this.#options,
      onOutput: (chunk) => this.#read(chunk),
    });
    this.#process = process;
    process.ended.then(() => {
      this.#buffer.clear();
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined) throw new TypeError("send() before start()");
    try {
      await this.#process.write(new TextEncoder().encode(serializeMessage(message)));
    } catch {
      // Nobody reads any more. What became of the program is told by its end, to every call that waits.
      void this.#process.end();
    }
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  #read(chunk: Uint8Array): void {
    try {
      this.#buffer.append(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      for (;;) {
        const message = this.#next();
        if (message === undefined) return;
        this.onmessage?.(message);
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.#process?.end();
    }
  }

  #next(): JSONRPCMessage | undefined {
    for (;;) {
      try {
        return this.#buffer.readMessage() ?? undefined;
      } catch (error) {
        // One line that is JSON and no message: the next may be one.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}
