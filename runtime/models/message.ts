// A conversation as the runtime keeps it: what is stored, what adapters translate, what the loop reads.
import type { JsonObject } from "../../base/json.ts";
import type { Media } from "../tool_vocabulary.ts";

/** A model's request to use a tool. */
export interface ToolCall {
  /** Unique within its reply; adapters invent one where the provider gives none. */
  id: string;
  name: string;
  /** The arguments as the model wrote them: JSON text, not yet checked. */
  arguments: string;
  /** The model wrote it as text. */
  written?: true;
}

/** What the agent is told before everything else; the first message, and the only one of its kind. */
export interface SystemMessage {
  role: "system";
  content: string;
}

/** A turn of whoever started the run, or a text that the runtime puts in. */
export interface UserMessage {
  role: "user";
  content: string;
  /** Nobody said it: a tool's result brought it along. */
  injected?: true;
  /** It asks for the answer once more, which did not fit the schema. Goes with `injected`. */
  repair?: true;
  /** Of the results before it, for formats whose results are texts: see providers/media_turns.ts. Never stored. */
  media?: readonly Media[];
}

/** Why a reply ended. `unknown`: the provider gave a reason that we do not know. */
export type StopReason =
  | "end"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "refusal"
  | "unknown";

/** A reply of the model. Results of its calls follow it, one message each. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls: ToolCall[];
  /** What the provider wants back verbatim with this message (signatures of thinking, for instance). */
  providerData?: JsonObject;
  /** Why it ended; stored with it, so that a run that is entered again judges it the same way. */
  stop?: StopReason;
}

/** The result of one call. */
export interface ToolMessage {
  role: "tool";
  toolCallId: string;
  toolName: string;
  content: string;
  isError: boolean;
  /** What the model sees beside `content`, which says so in words. */
  media?: readonly Media[];
}

/** One message of a conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
