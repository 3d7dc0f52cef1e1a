// The adapter for Ollama's own chat API, through fetch alone: the API is small, and unlike the compatible one it takes
// the size of the context, without which a long prompt is cut silently.
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import { askInWords, grammarSchema } from "../answer_schema.ts";
import { type AdapterOptions, toProviderContext } from "./adapter_options.ts";
import { readJsonLines } from "./json_lines.ts";
import { restoreFields } from "./kept_fields.ts";
import type { AssistantMessage, Message } from "../message.ts";
import type { Model, ModelDelta, ModelReply, ModelRequest } from "../model.ts";
import { OllamaReplyAssembly } from "./ollama_reply.ts";
import { answerFailure, cutStreamFailure, type ProviderContext } from "../provider_failure.ts";
import { createProviderFetch } from "../provider_fetch.ts";
import { addMediaTurns } from "./media_turns.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import { streamReply } from "./streamed_reply.ts";
import { estimateInputTokens } from "../token_estimate.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

/** Where Ollama listens on this machine: without `/api`. */
const OLLAMA_BASE_URL = "http://127.0.0.1:11434";

/** A model over Ollama's API. */
export function createOllamaModel(options: AdapterOptions): Model {
  return new OllamaModel(options);
}

const SMALLEST_CONTEXT = 4_096;

/**
 * The context that a request needs, in tokens: its estimated prompt with a third on top, for languages and code that
 * take more tokens than the estimate says, and the reply; rounded up to a power of two, so that the server need
 * not load the model anew at each step.
 */
export function contextSize(request: ModelRequest): number {
  const needed = Math.ceil(estimateInputTokens(request) * 4 / 3) + request.maxTokens;
  return Math.max(SMALLEST_CONTEXT, 2 ** Math.ceil(Math.log2(needed)));
}

class OllamaModel implements Model {
  readonly id: string;
  readonly #name: string;
  readonly #owner: BlockOwner;
  readonly #context: ProviderContext;
  readonly #window: number;

  constructor(options: AdapterOptions) {
    this.id = options.id;
    this.#name = options.name;
    this.#owner = { format: "ollama", model: options.id };
    this.#window = options.contextWindow ?? Infinity;
    this.#context = toProviderContext(options, OLLAMA_BASE_URL);
  }

  generate(
    request: ModelRequest,
    options: { signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    return streamReply({
      context: this.#context,
      signal: options.signal,
      assembly: new OllamaReplyAssembly(this.#context, {
        owner: this.#owner,
        promptTokens: estimateInputTokens(request),
      }),
      open: () => this.#open(request, options.signal),
      toFailure: () => undefined,
    });
  }

  async #open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const { apiKey, baseUrl } = this.#context;
    const headers = {
      "content-type": "application/json",
      accept: "application/x-ndjson",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    const transport = createProviderFetch(this.#context, { headers, passed: [] });
    const answer = await transport.fetch(`${baseUrl}/api/chat`, {
      method: "POST",
      body: JSON.stringify(this.#body(request)),
      signal,
    });
    if (!answer.ok) {
      const { status, headers } = answer;
      throw answerFailure(this.#context, {
        status,
        message: errorOf(await answer.text()),
        headers,
      });
    }
    if (answer.body === null) throw cutStreamFailure(this.#context);
    return readJsonLines(answer.body);
  }

  #body(request: ModelRequest): JsonObject {
    const { temperature, maxTokens, tools, refused = new Set() } = request;
    // A grammar without the words lets a model fill in the fields without knowing what for.
    const { messages } = askInWords(request);
    const schema = grammarSchema(request);
    return {
      model: this.#name,
      messages: addMediaTurns(messages).map((one) =>
        toOllamaMessage(one, { owner: this.#owner, refused })
      ),
      stream: true,
      ...(schema && { format: schema }),
      ...(tools.length === 0 ? {} : {
        tools: tools.map(({ name, description, parameters }) => ({
          type: "function",
          function: { name, description, parameters },
        })),
      }),
      options: {
        num_ctx: Math.min(contextSize(request), this.#window),
        num_predict: maxTokens,
        ...(temperature === undefined ? {} : { temperature }),
      },
    };
  }
}

type KeptParts = Parameters<typeof restoreFields>[1];

function toOllamaMessage(message: Message, kept: KeptParts): JsonObject {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.content };
    case "user": {
      const { role, content, media } = message;
      return { role, content, ...(media && { images: media.map(({ data }) => data) }) };
    }
    case "tool":
      return { role: "tool", tool_name: message.toolName, content: message.content };
    case "assistant":
      if (message.toolCalls.length > 0) return toCalls(message, kept);
      return { role: "assistant", content: message.content };
  }
  return message satisfies never;
}

function toCalls(message: AssistantMessage, kept: KeptParts): JsonObject {
  const { fields, ofCalls, content } = restoreFields(message, kept);
  return {
    ...fields,
    role: "assistant",
    content,
    tool_calls: message.toolCalls.map(({ name, arguments: args }, index) => {
      const { function: ofFunction, ...ofCall } = ofCalls[index] ?? {};
      const own = isJsonObject(ofFunction) ? ofFunction : {};
      return { ...ofCall, function: { ...own, name, arguments: toArgumentsObject(args) } };
    }),
  };
}

function errorOf(body: string): string {
  const document: unknown = isWholeJson(body) ? JSON.parse(body) : undefined;
  return isJsonObject(document) && typeof document.error === "string" ? document.error : body;
}
