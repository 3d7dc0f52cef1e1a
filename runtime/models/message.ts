// The messages of a conversation. The runtime stores them, the adapters translate them to each provider's format.
import type { JsonObject } from "../../base/json.ts";
import type { Media } from "../vocabulary/tool_vocabulary.ts";

/** A model's request to use a tool. */
export interface ToolCall {
  /** Unique within its reply; adapters invent one where the provider gives none. */
  id: string;
  name: string;
  /** The arguments as the model wrote them: JSON text, not yet checked. */
  arguments: string;
  /** True: the model wrote the call as text, not in the provider's format for calls. */
  written?: true;
}

/** The system prompt. The first message of a conversation, and the only one with this role. */
export interface SystemMessage {
  role: "system";
  content: string;
}

/** A turn of the user or trigger that started the run, or a text that the runtime inserted. */
export interface UserMessage {
  role: "user";
  content: string;
  /** True: the runtime inserted the text, for example the instructions of a skill that a tool returned. */
  injected?: true;
  /** True: the message asks for the answer again because it did not fit the schema. Always with `injected`. */
  repair?: true;
  /** Media of the preceding tool results, for API formats whose tool results contain only text. */
  media?: readonly Media[];
}

/** The reason for the end of a reply. `unknown`: the provider gave a reason that is not in this list. */
export type StopReason =
  | "end"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "refusal"
  | "unknown";

/** A reply of the model. The results of its calls follow it, one message each. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls: ToolCall[];
  /** Data that the provider expects back verbatim with this message, for example signatures of its thinking. */
  providerData?: JsonObject;
  /** The reason for the end of the reply. Stored, so that a resumed run handles the reply in the same way. */
  stop?: StopReason;
}

/** The result of one call. */
export interface ToolMessage {
  role: "tool";
  toolCallId: string;
  toolName: string;
  content: string;
  isError: boolean;
  /** Pictures and PDF files that the model sees in addition to `content`. */
  media?: readonly Media[];
}

/** One message of a conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
