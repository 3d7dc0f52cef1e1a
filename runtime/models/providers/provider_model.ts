// Calls a model over a provider's HTTP API: sends a request and reads the stream. Distinguishes a cancel, a failure, a
// broken stream and a complete reply. A ProviderFormat describes the wire format. Decorators add retries and timeouts.
import type { Clock } from "../../../base/clock.ts";
import type { AdapterName } from "../../config/providers.ts";
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import { parseEventStream, readLines } from "../../../base/text/event_stream.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from "../model.ts";
import {
  answerFailure,
  cutStreamFailure,
  foreignAnswerFailure,
  type ProviderContext,
  readProviderError,
  streamedFailure,
} from "./provider_failure.ts";
import { MAX_EVENT_BYTES, mediaTypeOf, postToProvider } from "./provider_fetch.ts";

/** The adapter, address, key and name of a model. All agents with an equal connection share one Model object. */
export interface ModelConnection {
  adapter: AdapterName;
  /** The id of the model, `provider/name`. */
  id: string;
  /** The provider's name for the model. */
  name: string;
  /** The base URL in the form that the adapter uses. */
  baseUrl: string;
  /** The key; absent if calls are made without a key. */
  apiKey?: string;
  /** True to request token counts in the stream, in formats that send them only on request. */
  streamUsage: boolean;
  /** The context window of the model in tokens, if its settings contain it. */
  contextWindow?: number;
}

/** A connection, and the collaborators of its adapter. */
export interface AdapterOptions extends ModelConnection {
  /** The clock for converting a date in Retry-After to a wait. */
  clock: Clock;
  /** Writes a remark about the endpoint to the service log. Absent: remarks are not logged. */
  remark?: (text: string) => void;
}

/** Assembles a reply from the chunks of a stream. */
export interface ReplyAssembler {
  /** Adds a chunk, which may be invalid, and returns its delta. */
  add(chunk: unknown): ModelDelta;
  /** The token counts so far, a new object for each new count; null before the first. */
  readonly usage: Usage | null;
  /** Returns the complete reply, or undefined if the stream had no finish reason. */
  finish(): ModelReply | undefined;
}

/** The wire format of one model's calls and replies. */
export interface ProviderFormat {
  /** The path of the call after the base URL. */
  path: string;
  /** Headers in addition to the content type. */
  headers: Readonly<Record<string, string>>;
  /** True if a reply is a stream of JSON lines; false (the default) for an event stream. */
  hasJsonLines?: boolean;
  body(request: ModelRequest): JsonObject;
  startReply(request: ModelRequest): ReplyAssembler;
  /** Converts a reply that is one JSON document to chunks of a stream. Returns undefined for other documents. */
  toChunks(whole: unknown): unknown[] | undefined;
}

/**
 * A model that calls a provider in its format.
 *
 * Decision: fetch and one parser of event streams are used instead of the providers' packages. Each package took 150 to 240
 * ms and 25 to 32 MB to load, and its retries, timeouts and environment variables had to be turned off. A first call took
 * 375 ms with a package, and 80 to 100 ms without.
 */
export class ProviderModel implements Model {
  readonly id: string;
  readonly #format: ProviderFormat;
  readonly #context: ProviderContext;
  readonly #remark: AdapterOptions["remark"];

  constructor({ id, baseUrl, apiKey, clock, remark }: AdapterOptions, format: ProviderFormat) {
    this.id = id;
    this.#remark = remark;
    this.#format = format;
    this.#context = {
      provider: id.split("/", 1)[0] ?? id,
      baseUrl,
      apiKey,
      now: () => clock.now(),
    };
  }

  async *generate(
    request: ModelRequest,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    signal.throwIfAborted();
    const assembler = this.#format.startReply(request);
    const answer = await this.#send(request, signal);
    let shown = 0;
    try {
      let reported: Usage | null = null;
      for await (const chunk of this.#chunks(answer)) {
        const delta = assembler.add(chunk);
        if (delta.type === "text") shown += delta.text.length;
        yield delta;
        const { usage } = assembler;
        if (usage === null || usage === reported) continue;
        reported = usage;
        yield { type: "usage", usage };
      }
    } catch (error) {
      signal.throwIfAborted();
      // Any other error means a broken connection, or a chunk that is not JSON.
      throw error instanceof ModelError ? error : cutStreamFailure(this.#context, error);
    }
    signal.throwIfAborted();
    const reply = assembler.finish();
    if (reply === undefined) throw cutStreamFailure(this.#context);
    // The assembler may have delayed some text that could have been a tag. It is shown now.
    const rest = reply.message.content.slice(shown);
    if (rest !== "") yield { type: "text", text: rest };
    return reply;
  }

  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const answer = await postToProvider(this.#context, {
      url: `${this.#context.baseUrl}${this.#format.path}`,
      headers: this.#format.headers,
      body: JSON.stringify(this.#format.body(request)),
      signal,
    });
    if (answer.ok && answer.body !== null) return answer;
    if (answer.ok) throw cutStreamFailure(this.#context);
    const { status, headers } = answer;
    // If the connection breaks after the headers, the message contains only the status.
    const text = await answer.text().catch(() => "");
    signal.throwIfAborted();
    throw answerFailure(this.#context, { status, headers, ...readProviderError(text) });
  }

  /**
   * Yields the chunks of a reply, which may also be one JSON document instead of a stream. Throws ModelError for an error in
   * the answer or a document that is no reply, and SyntaxError for a chunk that is not JSON.
   */
  async *#chunks(answer: Response): AsyncGenerator<unknown, void, void> {
    const body = answer.body ?? new ReadableStream();
    let stray = "";
    let hasChunks = false;
    const addStray = (line: string) => {
      if (stray.length + line.length < MAX_EVENT_BYTES) stray += line;
    };
    if (this.#format.hasJsonLines) {
      for await (const line of readLines(body)) {
        if (line.trim() === "") continue;
        // An error, or a document on several lines, does not begin with a chunk.
        if (stray !== "" || !hasChunks && !this.#isChunk(line)) {
          addStray(line);
          continue;
        }
        yield this.#throwIfError(JSON.parse(line));
        hasChunks = true;
      }
      if (hasChunks && mediaTypeOf(answer) === "application/json") this.#remarkOnWhole();
    } else {
      const events = parseEventStream(body, { isLooseEnd: true, onStray: addStray });
      for await (const { event, data } of events) {
        if (data === "[DONE]") return;
        if (data === "" || event === "ping") continue;
        yield this.#throwIfError(JSON.parse(data), { event });
        hasChunks = true;
      }
    }
    const whole = isWholeJson(stray) ? JSON.parse(stray) : undefined;
    this.#throwIfError(whole, { isWhole: !hasChunks });
    if (hasChunks || stray === "") return;
    const chunks = this.#format.toChunks(whole);
    if (chunks !== undefined) {
      this.#remarkOnWhole();
      for (const chunk of chunks) yield this.#throwIfError(chunk, { isWhole: true });
    } else if (mediaTypeOf(answer) === "application/json") {
      throw foreignAnswerFailure(this.#context, { contentType: mediaTypeOf(answer), body: stray });
    }
  }

  #isChunk(line: string): boolean {
    return isWholeJson(line) && this.#format.toChunks(JSON.parse(line)) !== undefined;
  }

  #remarkOnWhole(): void {
    const { provider, baseUrl } = this.#context;
    this.#remark?.(
      `${provider} at ${baseUrl} does not stream: replies are shown when they are complete`,
    );
  }

  /** Returns the chunk. Throws ModelError for an error; with `isWhole`, a message and nothing else is an error, too. */
  #throwIfError(chunk: unknown, { event = "", isWhole = false } = {}): unknown {
    const isError = event === "error" || isJsonObject(chunk) && (chunk.error ||
          isWhole && typeof chunk.message === "string");
    if (!isError) return chunk;
    const error = readProviderError(JSON.stringify(chunk));
    throw streamedFailure(this.#context, error, { isWhole });
  }
}
