// The adapter for Anthropic's Messages API.
import type { JsonObject } from "../../../base/json.ts";
import type { Media, ToolDescription } from "../../vocabulary/tool_vocabulary.ts";
import { toWireSchema } from "../answer_schema.ts";
import type { AssistantMessage, Message, ToolMessage } from "../message.ts";
import type { Model, ModelRequest } from "../model.ts";
import { AnthropicReplyAssembler, toAnthropicEvents } from "./anthropic_reply.ts";
import { type BlockOwner, keptBlocks } from "./kept_fields.ts";
import { type AdapterOptions, ProviderModel } from "./provider_model.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

/** Creates a model that calls the Messages API. */
export function createModel(options: AdapterOptions): Model {
  const { name, apiKey } = options;
  const owner = { format: "anthropic", model: name };
  return new ProviderModel(options, {
    path: "/v1/messages",
    headers: {
      accept: "application/json",
      "anthropic-version": "2026-10-21",
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    },
    body: (request) => ({
      model: name,
      max_tokens: request.maxTokens,
      stream: true,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.schema && {
        output_config: { format: { type: "json_schema", schema: toWireSchema(request.schema) } },
      }),
      ...toAnthropicPrompt(request, owner),
    }),
    startReply: () => new AnthropicReplyAssembler(owner),
    toChunks: toAnthropicEvents,
  });
}

/**
 * Marks the end of a part of the request that is the same at each step of a run. The provider reads that part from its
 * cache.
 */
const CACHED = { cache_control: { type: "ephemeral" } };

/** Returns the system prompt, tools and messages of a request. Stored thinking is included only for its `owner`. */
export function toAnthropicPrompt(
  request: Pick<ModelRequest, "messages" | "tools">,
  owner: BlockOwner,
): { system?: JsonObject[]; tools?: JsonObject[]; messages: JsonObject[] } {
  const system = request.messages.filter((message) => message.role === "system")
    .map((message) => message.content).join("\n\n");
  return {
    // The API refuses an empty block.
    ...(system.trim() === "" ? {} : { system: [{ type: "text", text: system, ...CACHED }] }),
    ...(request.tools.length === 0 ? {} : { tools: toWireTools(request.tools) }),
    messages: toWireMessages(request.messages, owner),
  };
}

function toWireTools(tools: readonly ToolDescription[]): JsonObject[] {
  return tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" },
    ...(index === tools.length - 1 ? CACHED : {}),
  }));
}

/** Joins consecutive messages of one role, such as several tool results, because the API requires alternating roles. */
function toWireMessages(messages: readonly Message[], owner: BlockOwner): JsonObject[] {
  const wire: { role: string; content: JsonObject[] }[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = toBlocks(message, owner);
    if (blocks.length === 0) continue;
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else wire.push({ role, content: blocks });
  }
  return wire;
}

function toBlocks(
  message: Exclude<Message, { role: "system" }>,
  owner: BlockOwner,
): JsonObject[] {
  switch (message.role) {
    case "user":
      return textBlocks(message.content);
    case "tool":
      return [toolResult(message)];
    case "assistant":
      return assistantBlocks(message, owner);
  }
  return message satisfies never;
}

function assistantBlocks(message: AssistantMessage, owner: BlockOwner): JsonObject[] {
  const kept = keptBlocks(message, owner);
  if (kept !== undefined) {
    return kept.map((block) =>
      block.type === "tool_use" && typeof block.id === "string"
        ? { ...block, id: toWireId(block.id) }
        : block
    );
  }
  return [
    ...textBlocks(message.content),
    ...message.toolCalls.map((call): JsonObject => ({
      type: "tool_use",
      id: toWireId(call.id),
      name: call.name,
      input: toArgumentsObject(call.arguments),
    })),
  ];
}

function toolResult(message: ToolMessage): JsonObject {
  return {
    type: "tool_result",
    tool_use_id: toWireId(message.toolCallId),
    content: [...textBlocks(message.content), ...(message.media ?? []).map(toMediaBlock)],
    ...(message.isError ? { is_error: true } : {}),
  };
}

function toMediaBlock({ kind, mediaType, data }: Media): JsonObject {
  const source = { type: "base64", media_type: mediaType, data };
  return { type: kind === "pdf" ? "document" : "image", source };
}

/** Returns an id without the characters that the API forbids. Ids of other providers may contain any character. */
function toWireId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

/** Returns a list with the text as a block; an empty list for blank text, which the API refuses. */
function textBlocks(text: string): JsonObject[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}
