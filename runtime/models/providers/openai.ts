// The adapter for OpenAI and all other endpoints with Chat Completions.
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import { addSchemaToPrompt, grammarSchema, isStrict, toWireSchema } from "../answer_schema.ts";
import type { Model, ModelRequest } from "../model.ts";
import { toFunctions, toOpenAiMessages } from "./openai_messages.ts";
import { OpenAiReplyAssembler, toOpenAiChunks } from "./openai_reply.ts";
import type { BlockOwner } from "./kept_fields.ts";
import { type AdapterOptions, ProviderModel } from "./provider_model.ts";

/** Creates a model that calls an endpoint with Chat Completions. */
export function createModel(options: AdapterOptions): Model {
  const { id, apiKey } = options;
  const owner = { format: "openai", model: id };
  return new ProviderModel(options, {
    path: "/chat/completions",
    headers: {
      accept: "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: (request) => toBody(request, options, owner),
    startReply: () => new OpenAiReplyAssembler(owner),
    toChunks: toOpenAiChunks,
  });
}

/** The two names of the parameter that limits the output tokens. Some endpoints refuse the first, others the second. */
const LIMIT_NAMES = ["max_tokens", "max_completion_tokens"] as const;

function toBody(
  request: ModelRequest,
  { name, adapter, streamUsage }: AdapterOptions,
  owner: BlockOwner,
): JsonObject {
  const { temperature, maxTokens, tools, refused = new Set() } = request;
  // OpenAI requires `max_completion_tokens`. Compatible endpoints know `max_tokens`, and accept fewer parameters.
  const isOpenAi = adapter === "openai";
  // Many compatible endpoints ignore the schema parameter, so the schema is also in the prompt.
  const { messages } = isOpenAi ? request : addSchemaToPrompt(request);
  const schema = isOpenAi ? request.schema : grammarSchema(request);
  const limits = [...LIMIT_NAMES];
  const limit = (isOpenAi ? limits.reverse() : limits).find((name) => !refused.has(name));
  return {
    model: name,
    messages: toOpenAiMessages(messages, { isOpenAi, owner, refused }),
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
