// The adapter for OpenAI and all other endpoints with Chat Completions.
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import { addSchemaToPrompt, grammarSchema, isStrict, toWireSchema } from "../answer_schema.ts";
import type { Model, ModelRequest } from "../model.ts";
import { type OpenAiFlavour, toFunctions, toOpenAiMessages } from "./openai_messages.ts";
import { OpenAiReplyAssembler } from "./openai_reply.ts";
import type { BlockOwner } from "./kept_fields.ts";
import { type AdapterOptions, ProviderModel } from "./provider_model.ts";

/** Options of a model that is called by Chat Completions. */
export interface OpenAiModelOptions extends AdapterOptions {
  /** True: request token counts in the stream. */
  streamUsage: boolean;
  /** `openai` itself requires `max_completion_tokens`; compatible endpoints know `max_tokens`, and are stricter. */
  flavour?: OpenAiFlavour;
}

/** Creates a model at a Chat Completions endpoint. */
export function createOpenAiModel(options: OpenAiModelOptions): Model {
  const { id, apiKey } = options;
  const owner = { format: "openai", model: id };
  return new ProviderModel(options, {
    defaultUrl: "https://api.openai.com/v1",
    path: "/chat/completions",
    headers: {
      accept: "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: (request) => toBody(request, options, owner),
    startReply: () => new OpenAiReplyAssembler(owner),
  });
}

/** Creates a model at an endpoint that is compatible with OpenAI's. */
export function createCompatibleModel(options: Omit<OpenAiModelOptions, "flavour">): Model {
  return createOpenAiModel({ ...options, flavour: "compatible" });
}

/** The two names for the limit of output tokens. Some endpoints refuse one, some the other. */
const LIMIT_NAMES = ["max_tokens", "max_completion_tokens"] as const;

function toBody(
  request: ModelRequest,
  { name, flavour = "openai", streamUsage }: OpenAiModelOptions,
  owner: BlockOwner,
): JsonObject {
  const { temperature, maxTokens, tools, refused = new Set() } = request;
  const isOpenAi = flavour === "openai";
  // Many other endpoints ignore an unknown schema parameter, so their prompt always contains the schema.
  const { messages } = isOpenAi ? request : addSchemaToPrompt(request);
  const schema = isOpenAi ? request.schema : grammarSchema(request);
  const limits = [...LIMIT_NAMES];
  const limit = (isOpenAi ? limits.reverse() : limits).find((name) => !refused.has(name));
  return {
    model: name,
    messages: toOpenAiMessages(messages, { flavour, owner, refused }),
    stream: true,
    ...(streamUsage && !refused.has("stream_options")
      ? { stream_options: { include_usage: true } }
      : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(limit === undefined ? {} : { [limit]: maxTokens }),
    ...(tools.length === 0 ? {} : { tools: toFunctions(tools) }),
    ...(schema && { response_format: toResponseFormat(toWireSchema(schema)) }),
  };
}

function toResponseFormat(schema: JsonSchema): JsonObject {
  return {
    type: "json_schema",
    json_schema: { name: "answer", schema, strict: isStrict(schema) },
  };
}
