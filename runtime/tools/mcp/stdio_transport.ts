// Exchanges MCP messages over a program's standard input and output, one JSON object per line. The client package's
// transport is not used: it has no process groups, waits for pipes that a grandchild holds open, and does not use Inkling's
// Clock.
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { nextTurn } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { endGroup } from "../../../base/programs/process_group.ts";
import { describeTooMany, MAX_MESSAGE_BYTES, MinuteBudget } from "./mcp_limits.ts";
import type { Secret } from "../../secrets/secret.ts";
import { describeMisplacedPaths } from "./servers_file/misplaced_paths.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import type { ServerLink, SessionPorts } from "./server_link.ts";
import { type StartedServer, StartFailure, startServer } from "./server_program.ts";

/** The size of the end of standard error that is kept, in bytes. */
const STDERR_BYTES = 8 * 1024;
/**
 * The time to continue reading after the program has ended, in milliseconds. A process that left the group may hold the
 * pipes open.
 */
const DRAIN_MS = 1_000;

type Program = Extract<ServerDefinition, { kind: "program" }>;

/** A connection to an MCP server that is a program. It starts and ends the program. */
export class StdioTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly name: string;
  readonly #program: Program;
  readonly #ports: SessionPorts;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  readonly #budget: MinuteBudget;
  #server: StartedServer | undefined;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #stderr = new Uint8Array();
  #isStderrCut = false;
  #status: Deno.CommandStatus | undefined;
  /** Resolves when the program has exited, its output was read, and its process group is empty. */
  #ended: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  /** The number of sent bytes that the program has not read yet. */
  #unreadBytes = 0;
  #fault: RangeError | undefined;
  #hasSentMessage = false;
  /** Resolves when all messages that were read have been passed to `onmessage`. */
  #received = Promise.resolve();

  constructor(name: string, program: Program, ports: SessionPorts) {
    this.name = name;
    this.#program = program;
    this.#ports = ports;
    this.#budget = new MinuteBudget(ports.clock, ports.limits.messagesPerMinute);
  }

  get secrets(): readonly Secret[] {
    return this.#program.secrets;
  }

  get given(): readonly string[] {
    return Object.keys(this.#program.env);
  }

  get endReason(): string | undefined {
    if (this.#fault !== undefined) return this.#fault.message;
    if (this.#status === undefined) return undefined;
    const { signal, code } = this.#status;
    const reason = `it ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`;
    return this.#hasSentMessage ? reason : this.#withHint(reason);
  }

  /** It begins with a whole line, because a part of a key is not recognized as a secret. */
  get stderr(): string {
    const text = new TextDecoder().decode(this.#stderr);
    if (!this.#isStderrCut) return text;
    const end = text.search(/[\r\n]/);
    return end < 0 ? "" : text.slice(end + 1);
  }

  takeHosts(): ReturnType<NonNullable<ServerLink["takeHosts"]>> {
    const refused = [...this.#server?.refusedHosts ?? []];
    this.#server?.refusedHosts.clear();
    return { permitted: this.#program.sandbox?.net ?? [], refused };
  }

  /** Starts the program. Rejects with StartFailure. */
  async start(): Promise<void> {
    try {
      this.#server = await startServer(this.#program, this.#ports.confinement);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      throw new StartFailure(this.#withHint(error.message), { cause: error });
    }
    this.#ended = this.#follow(this.#server).finally(this.#server.closeNetwork);
    this.#ended.then(() => this.#received).then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#input === undefined) throw new TypeError("send() before start()");
    const bytes = new TextEncoder().encode(serializeMessage(message));
    // A program may send any number of requests and never read the responses.
    if (this.#unreadBytes > MAX_MESSAGE_BYTES) {
      this.#disconnect(new RangeError("it does not read its input"));
    }
    if (this.#fault !== undefined) return;
    this.#unreadBytes += bytes.length;
    try {
      await this.#input.write(bytes);
    } catch {
      // The program no longer reads its input, so it is ended. Waiting calls then fail with the reason of its end.
      void this.close();
    } finally {
      this.#unreadBytes -= bytes.length;
    }
  }

  /**
   * Ends the program and its process group: closes standard input, then sends SIGTERM, then SIGKILL. Resolves when all have
   * ended.
   */
  async close(): Promise<void> {
    if (this.#server !== undefined) await (this.#ending ??= this.#end(this.#server));
  }

  async #end({ group }: StartedServer): Promise<void> {
    const { clock, limits } = this.#ports;
    // The promise is not awaited: closing waits until the program reads its input, which it may never do.
    this.#input?.close().catch(() => {});
    const within = { clock, ms: limits.closeMs };
    if ((await firstOf(group.status, { within })).kind !== "done") {
      await endGroup(group, { clock, graceMs: limits.killMs });
    }
    await this.#ended;
  }

  async #follow({ group: { child, status } }: StartedServer): Promise<void> {
    const input = this.#input = child.stdin.getWriter();
    // This promise rejects when the pipe breaks. The write that fails rejects, too, and reports it.
    input.closed.catch(() => {});
    const output = child.stdout.getReader();
    const errors = child.stderr.getReader();
    const reading = Promise.all([
      // A program that closes its standard output cannot answer any more, so it is ended.
      readAll(output, (chunk) => this.#read(chunk)).finally(() => void this.close()),
      readAll(errors, (chunk) => this.#keepStderr(chunk)),
    ]);
    this.#status = await status;
    await firstOf(reading, { within: { clock: this.#ports.clock, ms: DRAIN_MS } });
    await Promise.allSettled([output.cancel(), errors.cancel()]);
    await input.abort().catch(() => {/* It was closed or broken before. */});
  }

  #keepStderr(chunk: Uint8Array): void {
    const joined = new Uint8Array(this.#stderr.length + chunk.length);
    joined.set(this.#stderr);
    joined.set(chunk, this.#stderr.length);
    this.#isStderrCut ||= joined.length > STDERR_BYTES;
    this.#stderr = joined.slice(-STDERR_BYTES);
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
    this.#server?.group.signal("SIGKILL");
  }

  #receive(line: string): void {
    if (this.#fault !== undefined) return;
    if (this.#budget.take() < 0) {
      this.#disconnect(new RangeError(describeTooMany(this.#ports.limits)));
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

/** Reads a stream to its end. An error of the stream counts as its end. Reading pauses until `onChunk` resolves. */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || value === undefined) return;
    await onChunk(value);
    // The pause allows other work to run: a pipe that is never empty would block it.
    await nextTurn();
  }
}

/** A splitter of a stream of bytes at line feeds. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();
  /** The beginning of the line whose end has not arrived. */
  #line = "";
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the next piece of the stream. Returns the lines that end in it. Throws RangeError if a line exceeds the limit. */
  push(piece: Uint8Array): string[] {
    const lines: string[] = [];
    for (let start = 0;;) {
      const feed = piece.indexOf(0x0a, start);
      const part = piece.subarray(start, feed < 0 ? undefined : feed);
      this.#size += part.length;
      if (this.#size > this.#maxBytes) {
        throw new RangeError(`a line of its output is over ${this.#maxBytes / 1024 / 1024} MB`);
      }
      this.#line += this.#decoder.decode(part, { stream: feed < 0 });
      if (feed < 0) return lines;
      lines.push(this.#line);
      this.#line = "";
      this.#size = 0;
      start = feed + 1;
    }
  }
}
