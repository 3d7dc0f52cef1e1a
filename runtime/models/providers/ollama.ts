// The adapter for Ollama's own chat API. Unlike Ollama's compatible API, it accepts the size of the context, without which
// the server silently cuts long prompts. The lines of an answer are converted to chunks of Chat Completions.
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { addSchemaToPrompt, grammarSchema } from "../answer_schema.ts";
import type { Message } from "../message.ts";
import type { Model, ModelDelta, ModelRequest } from "../model.ts";
import { estimateInputTokens } from "../token_estimate.ts";
import { type KeptParts, restoreCalls } from "./kept_fields.ts";
import { addMediaTurns } from "./media_turns.ts";
import { toFunctions } from "./openai_messages.ts";
import { OpenAiReplyAssembler } from "./openai_reply.ts";
import type { BlockOwner } from "./kept_fields.ts";
import { type AdapterOptions, ProviderModel } from "./provider_model.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

/** Creates a model that calls Ollama's API. */
export function createModel(options: AdapterOptions): Model {
  const { id, apiKey } = options;
  const owner = { format: "ollama", model: id };
  return new ProviderModel(options, {
    path: "/api/chat",
    headers: {
      accept: "application/x-ndjson",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    hasJsonLines: true,
    body: (request) => toBody(request, options, owner),
    startReply: (request) => new OllamaReplyAssembler(owner, estimateInputTokens(request)),
    toChunks: (whole) =>
      isJsonObject(whole) && (isJsonObject(whole.message) || whole.done !== undefined)
        ? [whole]
        : undefined,
  });
}

const SMALLEST_CONTEXT = 4_096;

/**
 * Returns the size of the context for a request, in tokens: the estimated prompt plus a third, and the reply. The third
 * covers languages and code that need more tokens than estimated. The result is rounded up to a power of two, so that the
 * server does not reload the model at each step.
 */
export function contextSize(request: ModelRequest): number {
  const needed = Math.ceil(estimateInputTokens(request) * 4 / 3) + request.maxTokens;
  return Math.max(SMALLEST_CONTEXT, 2 ** Math.ceil(Math.log2(needed)));
}

function toBody(
  request: ModelRequest,
  { name, contextWindow = Infinity }: AdapterOptions,
  owner: BlockOwner,
): JsonObject {
  const { temperature, maxTokens, tools, refused = new Set() } = request;
  // The schema is in the prompt, too, because a grammar alone does not explain the fields to the model.
  const { messages } = addSchemaToPrompt(request);
  const schema = grammarSchema(request);
  return {
    model: name,
    messages: addMediaTurns(messages).map((one) => toOllamaMessage(one, { owner, refused })),
    stream: true,
    ...(schema && { format: schema }),
    ...(tools.length === 0 ? {} : { tools: toFunctions(tools) }),
    options: {
      num_ctx: Math.min(contextSize(request), contextWindow),
      num_predict: maxTokens,
      ...(temperature === undefined ? {} : { temperature }),
    },
  };
}

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
      if (message.toolCalls.length === 0) return { role: "assistant", content: message.content };
      return restoreCalls(message, kept, {
        call: () => ({}),
        toArguments: toArgumentsObject,
        empty: "",
      });
  }
  return message satisfies never;
}

/** Assembles one reply from the lines of an Ollama stream. */
export class OllamaReplyAssembler extends OpenAiReplyAssembler {
  readonly #promptTokens: number;
  #calls = 0;

  /**
   * Creates an assembler. `promptTokens` is the estimated size of the prompt. It is used if the server reads the prompt
   * from its cache and therefore reports no count.
   */
  constructor(owner: BlockOwner, promptTokens: number) {
    super(owner);
    this.#promptTokens = promptTokens;
  }

  override add(line: unknown): ModelDelta {
    if (!isJsonObject(line)) return { type: "progress" };
    const { images: _images, tool_name: _name, tool_calls: calls, ...delta } =
      isJsonObject(line.message) ? line.message : {};
    // Tool calls arrive complete. Each gets an index, because two calls may have the same name.
    const numbered = (Array.isArray(calls) ? calls : []).filter(isJsonObject)
      .map((call) => ({ ...call, index: this.#calls++ }));
    return super.add({
      choices: [{
        delta: { ...delta, tool_calls: numbered },
        ...(line.done === true && { finish_reason: line.done_reason ?? "stop" }),
      }],
      ...(line.done === true && usageOf(line, this.#promptTokens)),
    });
  }
}

function usageOf(
  { prompt_eval_count: input, eval_count: output }: JsonObject,
  promptTokens: number,
): { usage?: JsonObject } {
  if (typeof input !== "number" && typeof output !== "number") return {};
  const prompt_tokens = typeof input === "number" ? input : promptTokens;
  return { usage: { prompt_tokens, completion_tokens: output ?? 0 } };
}
