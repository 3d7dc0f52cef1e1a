// A model endpoint on this machine that answers by a script and remembers what it was asked. Each wire format brings its
// own way to write a step: see openai_server.ts, anthropic_server.ts, google_server.ts, ollama_server.ts.
import assert from "node:assert/strict";
import type { JsonObject } from "../../../base/json.ts";

/** The endpoint's answer to one request. Parts are sent in the order of the fields. */
export interface ModelStep {
  /** An error status with a body, instead of a stream. */
  status?: number;
  headers?: Record<string, string>;
  /** The body of an error status, or one that is no event stream. */
  body?: string;
  /** Never answers, not even with headers. */
  silent?: boolean;
  /** The answer begins when this is resolved. */
  after?: Promise<unknown>;
  /** The reply's text; several pieces arrive as several chunks. */
  text?: string | string[];
  toolCalls?: { id?: string; name: string; arguments: string | JsonObject }[];
  /** Whole chunks as they are, between the text and the end: for an endpoint's oddities. */
  chunks?: unknown[];
  /** Raw bytes of the stream, for what is not a chunk at all. */
  raw?: string;
  /** The whole stream instead of the other parts, in these pieces. */
  bytes?: Uint8Array<ArrayBuffer>[];
  /** The end of the stream after those pieces: a broken connection, no finish, or silence. */
  then?: "cut" | "end" | "hang";
  /** The stop reason in the format's words. Default: the one that fits; null sends none. */
  finish?: string | null;
  /** In the format's words. Default: 10 tokens in, 5 out; null sends none. */
  usage?: JsonObject | null;
}

/** The serializer of a wire format. */
export interface WireFormat {
  contentType: string;
  /** The pieces of the stream, one for each write; without its end where `step.then` says how it continues. */
  write: (step: ModelStep) => string[];
}

/** A request as it arrived. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Headers;
  body: JsonObject;
  /** Resolves when the client closes the connection before the answer's end. */
  disconnected: Promise<void>;
}

/** A scripted endpoint. A request beyond the script is answered with 400 and fails `assertDone`. */
export class ModelServer implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #format: WireFormat;
  readonly #steps: ModelStep[];
  readonly #closing = new AbortController();
  readonly #judge: ((body: JsonObject) => ModelStep) | undefined;
  #unexpected = 0;
  #waiting: { count: number; resolve: () => void }[] = [];

  /** `judge` answers what comes beyond the script, by what it asks; `port` 0: any that is free. */
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

  /** The address without a path. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Adds steps behind the ones still left. */
  push(...steps: ModelStep[]): void {
    this.#steps.push(...steps);
  }

  /** Returns the pieces that a step sends. */
  write(step: ModelStep): string[] {
    return this.#format.write(step);
  }

  /** The n-th request, counted from 0. */
  request(index: number): ReceivedRequest {
    const request = this.requests[index];
    assert.ok(request, `the endpoint has had ${this.requests.length} requests`);
    return request;
  }

  /** Resolves when so many requests have arrived. */
  received(count: number): Promise<void> {
    if (this.requests.length >= count) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    return promise;
  }

  /** Fails when a step is left over or a request came that the script did not expect. */
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
          // The bytes so far must have left before the connection breaks.
          await new Promise((resolve) => setTimeout(resolve, 30));
          controller.error(new Error("cut"));
        } else {
          if (step.then === "hang") await this.#closed();
          try {
            controller.close();
          } catch {
            // The client went away first and the stream is closed already.
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
