// The adapter for OpenAI and for every endpoint that speaks Chat Completions, through the `openai` package, which is
// loaded at the first call. Retry and timeout stand outside: the package's own are switched off.
import type OpenAI from "openai";
import { isJsonObject, isWholeJson, type JsonSchema } from "../../../base/json.ts";
import { askInWords, grammarSchema, isStrict, toWireSchema } from "../answer_schema.ts";
import { type AdapterOptions, toProviderContext } from "./adapter_options.ts";
import type { Model, ModelDelta, ModelError, ModelReply, ModelRequest } from "../model.ts";
import { type OpenAiFlavour, toOpenAiMessages, toOpenAiTools } from "./openai_messages.ts";
import { OpenAiReplyAssembly } from "./openai_reply.ts";
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

const loadSdk = lazyModule(() => import("openai"));

/** Where OpenAI itself listens: up to and with the version. */
const OPENAI_BASE_URL = "https://api.openai.com/v1";

/** How to reach one model over Chat Completions. */
export interface OpenAiModelOptions extends AdapterOptions {
  /** Ask for token counts in the stream. */
  streamUsage: boolean;
  /** `openai` itself wants `max_completion_tokens`; endpoints compatible with it know `max_tokens`, and are stricter. */
  flavour: OpenAiFlavour;
}

/** A model at a Chat Completions endpoint. */
export function createOpenAiModel(options: OpenAiModelOptions): Model {
  return new OpenAiModel(options);
}

// The package's own clock must never end a call: the timeout per reply stands outside.
const NO_TIMEOUT_MS = 2_147_483_647;

/** The names of the limit of output tokens: some endpoints refuse one, some the other. */
const LIMIT_NAMES = ["max_tokens", "max_completion_tokens"] as const;
const NOTHING: ReadonlySet<string> = new Set();

class OpenAiModel implements Model {
  readonly id: string;
  readonly #owner: BlockOwner;
  readonly #options: OpenAiModelOptions;
  readonly #context: ProviderContext;
  #client: OpenAI | undefined;

  constructor(options: OpenAiModelOptions) {
    this.id = options.id;
    this.#owner = { format: "openai", model: options.id };
    this.#options = options;
    this.#context = toProviderContext(options, OPENAI_BASE_URL);
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
      assembly: new OpenAiReplyAssembly(this.#owner),
      open: () =>
        (this.#client ??= this.#open(sdk.default)).chat.completions.create(this.#body(request), {
          signal,
        }),
      toFailure: (error) => error instanceof sdk.APIError ? this.#toFailure(error) : undefined,
    });
  }

  #open(Client: typeof OpenAI): OpenAI {
    const { apiKey } = this.#options;
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const transport = createProviderFetch(this.#context, {
      headers,
      passed: ["accept", "content-type"],
    });
    return new Client({
      baseURL: this.#context.baseUrl,
      // The package insists on a key; the headers that are sent do not come from it.
      apiKey: apiKey ?? "none",
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      logLevel: "off",
      fetch: async (input, init) => await withReadableError(await transport.fetch(input, init)),
    });
  }

  #body(request: ModelRequest): OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming {
    const { name, flavour, streamUsage } = this.#options;
    const { temperature, maxTokens, tools, refused = NOTHING } = request;
    const isOpenAi = flavour === "openai";
    // Many other endpoints ignore what they do not know: there the words stand in any case.
    const { messages } = isOpenAi ? request : askInWords(request);
    const schema = isOpenAi ? request.schema : grammarSchema(request);
    const limits = [...LIMIT_NAMES];
    const limit = (isOpenAi ? limits.reverse() : limits).find((name) => !refused.has(name));
    return {
      model: name,
      messages: toOpenAiMessages(messages, { flavour, owner: this.#owner, refused }),
      stream: true,
      ...(streamUsage && !refused.has("stream_options")
        ? { stream_options: { include_usage: true } }
        : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(limit === undefined ? {} : { [limit]: maxTokens }),
      ...(tools.length === 0 ? {} : { tools: toOpenAiTools(tools) }),
      ...(schema && { response_format: toResponseFormat(toWireSchema(schema)) }),
    };
  }

  #toFailure(error: InstanceType<typeof OpenAI.APIError>): ModelError {
    const { status, headers, code, type, param } = error;
    const message = providerMessage(error.message);
    return status === undefined
      ? streamedFailure(this.#context, { code, type, message, cause: error })
      : answerFailure(this.#context, {
        status,
        message,
        codes: [code, param, type],
        headers,
        cause: error,
      });
  }
}

/** The answer, an error as the package reads it: others put theirs elsewhere, as `detail` or into a list. */
async function withReadableError(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const text = await answer.text();
  const root: unknown = isWholeJson(text) ? JSON.parse(text) : undefined;
  const [first] = [root].flat();
  if (!isJsonObject(first)) return new Response(text, answer);
  const error = first.error ?? { ...first, message: first.message ?? text };
  return Response.json({ error }, answer);
}

function toResponseFormat(schema: JsonSchema): OpenAI.ResponseFormatJSONSchema {
  return {
    type: "json_schema",
    json_schema: { name: "answer", schema, strict: isStrict(schema) },
  };
}
