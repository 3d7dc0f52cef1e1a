// The runtime's conversation in the format of the Chat Completions API.
import type OpenAI from "openai";
import type { AssistantMessage, Message, UserMessage } from "../message.ts";
import type { ToolDescription } from "../../tool_vocabulary.ts";
import { isJsonObject, isWholeJson } from "../../../base/json.ts";
import { restoreFields } from "./kept_fields.ts";
import { addMediaTurns } from "./media_turns.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type WirePart = OpenAI.Chat.Completions.ChatCompletionContentPart;
type WireTool = OpenAI.Chat.Completions.ChatCompletionTool;

/** OpenAI's own Chat Completions, or those of whoever else speaks them. */
export type OpenAiFlavour = "openai" | "compatible";

/**
 * Messages as Chat Completions takes them. Instructions that a result brought along are a user message to OpenAI; elsewhere
 * they stand at the result's end: many models' templates (Mistral's, for one) refuse a user after a tool, and two users in
 * a row.
 */
export function toOpenAiMessages(
  messages: readonly Message[],
  { flavour, ...kept }: { flavour: OpenAiFlavour } & KeptParts,
): WireMessage[] {
  return addMediaTurns(flavour === "openai" ? messages : joinInstructions(messages))
    .map((message) => toOpenAiMessage(message, kept));
}

/** The owner of kept fields, and the fields that it refuses. */
interface KeptParts {
  owner: BlockOwner;
  refused: ReadonlySet<string>;
}

function joinInstructions(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "user" && message.injected && last?.role === "tool") {
      joined[joined.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    } else joined.push(message);
  }
  return joined;
}

/** Tools as Chat Completions takes them. */
export function toOpenAiTools(tools: readonly ToolDescription[]): WireTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

function toOpenAiMessage(message: Message, kept: KeptParts): WireMessage {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.content };
    case "user":
      return { role: message.role, content: toContent(message) };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
    case "assistant":
      if (message.toolCalls.length === 0) return { role: "assistant", content: message.content };
      return toCalls(message, kept);
  }
  return message satisfies never;
}

function toContent({ content, media }: UserMessage): string | WirePart[] {
  if (media === undefined) return content;
  const parts = media.map(({ kind, mediaType, data }): WirePart => {
    const url = `data:${mediaType};base64,${data}`;
    return kind === "pdf"
      ? { type: "file", file: { filename: "file.pdf", file_data: url } }
      : { type: "image_url", image_url: { url } };
  });
  return [{ type: "text", text: content }, ...parts];
}

function toCalls(message: AssistantMessage, kept: KeptParts): WireMessage {
  const { fields, ofCalls, content } = restoreFields(message, kept);
  return {
    ...fields,
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: message.toolCalls.map(({ id, name, arguments: args }, index) => {
      const { function: ofFunction, ...ofCall } = ofCalls[index] ?? {};
      return {
        ...ofCall,
        id,
        type: "function",
        function: {
          ...(isJsonObject(ofFunction) ? ofFunction : {}),
          name,
          // Servers that fill chat templates parse past arguments and fail on what is not JSON.
          arguments: toWireArguments(args),
        },
      };
    }),
  };
}

function toWireArguments(text: string): string {
  return isWholeJson(text) ? text : JSON.stringify(toArgumentsObject(text));
}
