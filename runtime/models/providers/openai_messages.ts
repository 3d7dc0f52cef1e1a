// Converts conversations and tools to the format of the Chat Completions API.
import type { Message, UserMessage } from "../message.ts";
import type { ToolDescription } from "../../vocabulary/tool_vocabulary.ts";
import { isWholeJson, type JsonObject } from "../../../base/json.ts";
import { type KeptParts, restoreCalls } from "./kept_fields.ts";
import { addMediaTurns } from "./media_turns.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

/**
 * Returns messages in the format of Chat Completions. For OpenAI, injected instructions are a user message. For other
 * servers, they are at the end of the tool result: many chat templates (such as Mistral's) refuse a user message after a
 * tool message, and two consecutive user messages.
 */
export function toOpenAiMessages(
  messages: readonly Message[],
  { isOpenAi, ...kept }: { isOpenAi: boolean } & KeptParts,
): JsonObject[] {
  return addMediaTurns(isOpenAi ? messages : joinInstructions(messages))
    .map((message) => toOpenAiMessage(message, kept));
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

/** Returns tools in the format of Chat Completions and Ollama. */
export function toFunctions(tools: readonly ToolDescription[]): JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

function toOpenAiMessage(message: Message, kept: KeptParts): JsonObject {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.content };
    case "user":
      return { role: message.role, content: toContent(message) };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
    case "assistant":
      if (message.toolCalls.length === 0) return { role: "assistant", content: message.content };
      return restoreCalls(message, kept, {
        call: ({ id }) => ({ id, type: "function" }),
        // Servers with chat templates parse the arguments of past calls, and fail if they are not JSON.
        toArguments: toWireArguments,
        empty: null,
      });
  }
  return message satisfies never;
}

function toContent({ content, media }: UserMessage): string | JsonObject[] {
  if (media === undefined) return content;
  const parts = media.map(({ kind, mediaType, data }): JsonObject => {
    const url = `data:${mediaType};base64,${data}`;
    return kind === "pdf"
      ? { type: "file", file: { filename: "file.pdf", file_data: url } }
      : { type: "image_url", image_url: { url } };
  });
  return [{ type: "text", text: content }, ...parts];
}

function toWireArguments(text: string): string {
  return isWholeJson(text) ? text : JSON.stringify(toArgumentsObject(text));
}
