// A scripted model endpoint on this machine that records its requests. A WireFormat writes the steps: see openai_server.ts,
// anthropic_server.ts, google_server.ts and ollama_server.ts.
import assert from "node:assert/strict";
import type { JsonObject } from "../../../base/json.ts";

/** The endpoint's answer to one request. The parts are sent in the order of the fields. */
export interface ModelStep {
  /** An HTTP error status. The answer then has a body instead of a stream. */
  status?: number;
  headers?: Record<string, string>;
  /** The body of an error, or a body that is no event stream. */
  body?: string;
  /** True: the endpoint never answers, and sends no headers. */
  silent?: boolean;
  /** The answer starts when this promise resolves. */
  after?: Promise<unknown>;
  /** The text of the reply; each array element is sent as one chunk. */
  text?: string | string[];
  toolCalls?: { id?: string; name: string; arguments: string | JsonObject }[];
  /** Further chunks in the wire format, sent after the text. They imitate unusual endpoints. */
  chunks?: unknown[];
  /** Raw text in the stream that is not a valid chunk. */
  raw?: string;
  /** The whole stream as bytes, one element for each write. Replaces the other parts. */
  bytes?: Uint8Array<ArrayBuffer>[];
  /** The end of the stream: a broken connection, a normal end without a stop reason, or silence. */
  then?: "cut" | "end" | "hang";
  /** The stop reason in the wire format. Default: the one that fits the step; null sends none. */
  finish?: string | null;
  /** The usage in the wire format. Default: 10 input tokens and 5 output tokens; null sends none. */
  usage?: JsonObject | null;
}

/** The serializer of a wire format. */
export interface WireFormat {
  contentType: string;
  /** Returns the parts of the stream, one for each write. The end is missing if `step.then` is set. */
  write: (step: ModelStep) => string[];
}

/** A received request. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Headers;
  body: JsonObject;
  /** Resolves when the client disconnects before the end of the answer. */
  disconnected: Promise<void>;
}

/** A scripted endpoint. It answers requests beyond the script with 400, and then `assertDone` fails. */
export class ModelServer implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #format: WireFormat;
  readonly #steps: ModelStep[];
  readonly #closing = new AbortController();
  readonly #judge: ((body: JsonObject) => ModelStep) | undefined;
  #unexpected = 0;
  #waiting: { count: number; resolve: () => void }[] = [];

  /** `judge` answers requests that the script does not contain. Port 0: any free port. */
  constructor(
    format: WireFormat,
    steps: ModelStep[] = [],
    judge?: (body: JsonObject) => ModelStep,
    port = 0,
  ) {
    this.#format = format;
    this.#judge = judge;
    this.#steps = [...steps];
    this.#server = Deno.serve(
      { port, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** The address of the server without a path. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Adds steps to the end of the script. */
  push(...steps: ModelStep[]): void {
    this.#steps.push(...steps);
  }

  /** Returns the parts of the stream that a step sends. */
  write(step: ModelStep): string[] {
    return this.#format.write(step);
  }

  /** Returns a request by its index, from 0. */
  request(index: number): ReceivedRequest {
    const request = this.requests[index];
    assert.ok(request, `the endpoint has had ${this.requests.length} requests`);
    return request;
  }

  /** Resolves when this many requests have arrived. */
  received(count: number): Promise<void> {
    if (this.requests.length >= count) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    return promise;
  }

  /** Fails the test if a step was not used or an unexpected request arrived. */
  assertDone(): void {
    assert.equal(this.#unexpected, 0, "requests beyond the script");
    assert.equal(this.#steps.length, 0, "steps that were never asked for");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { promise: disconnected, resolve: onDisconnect } = Promise.withResolvers<void>();
    const body: JsonObject = await request.json();
    this.requests.push({
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      body,
      disconnected,
    });
    for (const { count, resolve } of this.#waiting) {
      if (this.requests.length >= count) resolve();
    }
    const step = this.#steps.shift() ?? this.#judge?.(body);
    if (step === undefined) {
      this.#unexpected++;
      return Response.json({ error: { message: "no step left in the script" } }, { status: 400 });
    }
    await step.after;
    if (step.silent) {
      await this.#closed();
      return new Response(null, { status: 503 });
    }
    if (step.status !== undefined || step.body !== undefined) {
      return new Response(step.body ?? null, {
        status: step.status ?? 200,
        headers: { "content-type": "application/json", ...step.headers },
      });
    }
    return new Response(this.#stream(step, onDisconnect), {
      headers: { "content-type": this.#format.contentType, ...step.headers },
    });
  }

  #stream(step: ModelStep, onDisconnect: () => void): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream({
      start: async (controller) => {
        const pieces = step.bytes ?? this.write(step).map((piece) => encoder.encode(piece));
        for (const piece of pieces) controller.enqueue(piece);
        if (step.then === "cut") {
          // The connection must not break before the previous bytes have left.
          await new Promise((resolve) => setTimeout(resolve, 30));
          controller.error(new Error("cut"));
        } else {
          if (step.then === "hang") await this.#closed();
          try {
            controller.close();
          } catch {
            // The client has already closed the stream.
          }
        }
      },
      cancel: onDisconnect,
    });
  }

  #closed(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true })
    );
  }
}
