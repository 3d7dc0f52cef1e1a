// The adapter for Google's Gemini API, through the `@google/genai` package, which is loaded at the first call. Retry and
// timeout stand outside: the package's own are switched off.
import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import { toWireSchema } from "../answer_schema.ts";
import { type AdapterOptions, toProviderContext } from "./adapter_options.ts";
import { toGooglePrompt } from "./google_messages.ts";
import { GoogleReplyAssembly } from "./google_reply.ts";
import type { Model, ModelDelta, ModelError, ModelReply, ModelRequest } from "../model.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import { answerFailure, type ProviderContext } from "../provider_failure.ts";
import { createProviderFetch, type ProviderFetch } from "../provider_fetch.ts";
import { streamReply } from "./streamed_reply.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

const loadSdk = lazyModule(() => import("@google/genai"));

/** Where Google itself listens: without the version. */
const GOOGLE_BASE_URL = "https://generativelanguage.googleapis.com";

/** A model over the Gemini API. */
export function createGoogleModel(options: AdapterOptions): Model {
  return new GoogleModel(options);
}

class GoogleModel implements Model {
  readonly id: string;
  readonly #name: string;
  readonly #owner: BlockOwner;
  readonly #context: ProviderContext;

  constructor(options: AdapterOptions) {
    this.id = options.id;
    this.#name = options.name;
    this.#owner = { format: "google", model: options.name };
    this.#context = toProviderContext(options, GOOGLE_BASE_URL);
  }

  async *generate(
    request: ModelRequest,
    options: { signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    options.signal.throwIfAborted();
    const sdk = await loadSdk();
    const { apiKey } = this.#context;
    const transport = createProviderFetch(this.#context, {
      headers: apiKey === undefined ? {} : { "x-goog-api-key": apiKey },
      passed: ["accept", "content-type"],
    });
    // The package lets go of a connection without closing it; only its signal does.
    const over = new AbortController();
    try {
      return yield* streamReply({
        context: this.#context,
        signal: options.signal,
        assembly: new GoogleReplyAssembly(this.#owner),
        open: () =>
          this.#client(sdk.GoogleGenAI, transport).models.generateContentStream(
            this.#body(request, AbortSignal.any([options.signal, over.signal])),
          ),
        toFailure: (error) => this.#toFailure(error, { sdk, transport }),
      });
    } finally {
      over.abort();
    }
  }

  #client(Client: typeof GoogleGenAI, transport: ProviderFetch): GoogleGenAI {
    return new Client({
      // The package insists on a key; the headers that are sent do not come from it.
      apiKey: this.#context.apiKey ?? "none",
      // Said outright, so that no variable of the shell says otherwise.
      vertexai: false,
      apiVersion: "v1beta",
      httpOptions: { baseUrl: this.#context.baseUrl, fetch: transport.fetch },
    });
  }

  #body(request: ModelRequest, abortSignal: AbortSignal): GenerateContentParameters {
    const { contents, config } = toGooglePrompt(request, this.#owner);
    const { temperature, maxTokens, schema } = request;
    return {
      model: this.#name,
      contents,
      config: {
        ...config,
        maxOutputTokens: maxTokens,
        ...(temperature === undefined ? {} : { temperature }),
        ...(schema && {
          responseMimeType: "application/json",
          responseJsonSchema: toWireSchema(schema),
        }),
        automaticFunctionCalling: { disable: true },
        automaticContinuation: false,
        abortSignal,
      },
    };
  }

  #toFailure(
    error: unknown,
    at: { sdk: typeof import("@google/genai"); transport: ProviderFetch },
  ): ModelError | undefined {
    const answer = at.transport.lastAnswer();
    const status = error instanceof at.sdk.ApiError
      ? error.status
      : answer?.ok === false
      ? answer.status // The package could not read the body of an error.
      : undefined;
    if (status === undefined) return undefined;
    const detail = errorOf(error);
    const message = typeof detail?.message === "string" ? detail.message : "";
    return answerFailure(this.#context, {
      status,
      message,
      codes: [detail?.status],
      headers: answer?.headers,
      retryAfterMs: wishedDelay(detail),
      cause: error,
    });
  }
}

/** The provider's error document, which the package hides in its message. */
function errorOf(error: unknown): JsonObject | undefined {
  const text = error instanceof Error ? error.message.replace(/^got status: [^{]*\. /, "") : "";
  if (!isWholeJson(text)) return text === "" ? undefined : { message: text };
  const document: unknown = JSON.parse(text);
  return isJsonObject(document) && isJsonObject(document.error) ? document.error : undefined;
}

/** What a RetryInfo detail (google.rpc.RetryInfo) asks for, in milliseconds. */
function wishedDelay(detail: JsonObject | undefined): number | undefined {
  for (const one of Array.isArray(detail?.details) ? detail.details : []) {
    if (!isJsonObject(one) || typeof one.retryDelay !== "string") continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(one.retryDelay)?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}
