// The adapter for Anthropic and for endpoints that speak its Messages API, through the `@anthropic-ai/sdk` package,
// which is loaded at the first call. Retry and timeout stand outside: the package's own are switched off.
import type Anthropic from "@anthropic-ai/sdk";
import { isJsonObject } from "../../../base/json.ts";
import { toWireSchema } from "../answer_schema.ts";
import { type AdapterOptions, toProviderContext } from "./adapter_options.ts";
import { toAnthropicPrompt } from "./anthropic_messages.ts";
import { AnthropicReplyAssembly } from "./anthropic_reply.ts";
import type { Model, ModelDelta, ModelError, ModelReply, ModelRequest } from "../model.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import {
  answerFailure,
  type ProviderContext,
  providerMessage,
  streamedFailure,
} from "../provider_failure.ts";
import { createProviderFetch } from "../provider_fetch.ts";
import { streamReply } from "./streamed_reply.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

const loadSdk = lazyModule(() => import("@anthropic-ai/sdk"));

/** Where Anthropic itself listens: without the version. */
const ANTHROPIC_BASE_URL = "https://api.anthropic.com";

/** A model over the Messages API. */
export function createAnthropicModel(options: AdapterOptions): Model {
  return new AnthropicModel(options);
}

// The package's own clock must never end a call: the timeout per reply stands outside.
const NO_TIMEOUT_MS = 2_147_483_647;

class AnthropicModel implements Model {
  readonly id: string;
  readonly #name: string;
  readonly #owner: BlockOwner;
  readonly #context: ProviderContext;
  #client: Anthropic | undefined;

  constructor(options: AdapterOptions) {
    this.id = options.id;
    this.#name = options.name;
    this.#owner = { format: "anthropic", model: options.name };
    this.#context = toProviderContext(options, ANTHROPIC_BASE_URL);
  }

  async *generate(
    request: ModelRequest,
    options: { signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const { signal } = options;
    signal.throwIfAborted();
    const sdk = await loadSdk();
    return yield* streamReply({
      context: this.#context,
      signal,
      assembly: new AnthropicReplyAssembly(this.#owner),
      open: () =>
        (this.#client ??= this.#open(sdk.default)).messages.create(this.#body(request), { signal }),
      toFailure: (error) => error instanceof sdk.APIError ? this.#toFailure(error) : undefined,
    });
  }

  #open(Client: typeof Anthropic): Anthropic {
    const { apiKey } = this.#context;
    const headers = apiKey === undefined ? {} : { "x-api-key": apiKey };
    const passed = ["accept", "content-type", "anthropic-version"];
    return new Client({
      baseURL: this.#context.baseUrl,
      // The package insists on a key, and looks for one in files otherwise; the headers sent do not come from it.
      apiKey: apiKey ?? "none",
      webhookKey: null,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      logLevel: "off",
      openTelemetry: false,
      fetch: createProviderFetch(this.#context, { headers, passed }).fetch,
    });
  }

  #body(request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
    const { temperature, maxTokens, schema } = request;
    return {
      model: this.#name,
      max_tokens: maxTokens,
      stream: true,
      ...(temperature === undefined ? {} : { temperature }),
      ...(schema && {
        output_config: { format: { type: "json_schema", schema: toWireSchema(schema) } },
      }),
      ...toAnthropicPrompt(request, this.#owner),
    };
  }

  #toFailure(error: InstanceType<typeof Anthropic.APIError>): ModelError {
    const { status, headers, type } = error;
    const told = isJsonObject(error.error) && isJsonObject(error.error.error)
      ? error.error.error.message
      : undefined;
    const message = typeof told === "string" ? told : providerMessage(error.message);
    return status === undefined
      ? streamedFailure(this.#context, { code: undefined, type, message, cause: error })
      : answerFailure(this.#context, { status, message, codes: [type], headers, cause: error });
  }
}
