// The messages of a conversation. The runtime stores them, and adapters translate them to the format of a provider.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Media } from "../vocabulary/tool_vocabulary.ts";

/** A request of the model to call a tool. */
export interface ToolCall {
  /** The id of the call, unique within its reply. If the provider gives none, the adapter creates one. */
  id: string;
  name: string;
  /** The arguments as JSON text, as the model wrote them. They are not validated. */
  arguments: string;
  /** True if the model wrote the call as text instead of in the provider's format for calls. */
  written?: true;
}

/** The message of a user or trigger that started the run, or a text that the runtime inserted. */
export interface UserMessage {
  role: "user";
  content: string;
  /** True if the runtime inserted the text, such as the instructions of a skill. */
  injected?: true;
  /**
   * True if the message asks for the answer again, because the answer did not match the schema. Always together with
   * `injected`.
   */
  repair?: true;
  /**
   * The pictures of the message, or the media of the preceding tool results for API formats whose tool results can contain
   * only text.
   */
  media?: readonly Media[];
}

/**
 * The reason for the end of a reply. `unclosed_thought`: the reply is only reasoning, because its tag is never closed.
 * `unknown` is a reason of the provider that is not in this list.
 */
export type StopReason =
  | "end"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "unclosed_thought"
  | "refusal"
  | "unknown";

/** A reply of the model. If it has tool calls, one message with a result follows for each. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls: ToolCall[];
  /** Data that the provider expects back unchanged with this message, such as signatures of the model's thinking. */
  providerData?: JsonObject;
  /** The reason for the end of the reply. It is stored, so that a resumed run handles the reply in the same way. */
  stop?: StopReason;
}

/** The result of one tool call. */
export interface ToolMessage {
  role: "tool";
  toolCallId: string;
  toolName: string;
  content: string;
  isError: boolean;
  /** Pictures and PDF files that the model sees in addition to `content`. */
  media?: readonly Media[];
}

/** One message of a conversation. The system prompt is the first, and the only one with its role. */
export type Message =
  | { role: "system"; content: string }
  | UserMessage
  | AssistantMessage
  | ToolMessage;

/** The name of the field of `providerData` with the text of a `<think>` tag. */
export const THOUGHT = "<think>";

/** Returns the reasoning that a reply began with in a `<think>` tag, or undefined. */
export function thoughtOf({ providerData }: AssistantMessage): string | undefined {
  const [first] = Array.isArray(providerData?.blocks) ? providerData.blocks : [];
  const thought = isJsonObject(first) ? first[THOUGHT] : undefined;
  return typeof thought === "string" && thought.trim() !== "" ? thought.trim() : undefined;
}
