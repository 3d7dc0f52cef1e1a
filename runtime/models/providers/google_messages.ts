// The runtime's conversation in the format of the Gemini API.
import type { Content, GenerateContentConfig, Part } from "@google/genai";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { AssistantMessage, Message, ToolMessage } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import { addMediaTurns } from "./media_turns.ts";
import { type BlockOwner, keptBlocks } from "./provider_blocks.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

/** System prompt, tools and contents of a request; `owner` is the model whose thought signatures go back to it. */
export function toGooglePrompt(
  request: Pick<ModelRequest, "messages" | "tools">,
  owner: BlockOwner,
): { contents: Content[]; config: Pick<GenerateContentConfig, "systemInstruction" | "tools"> } {
  const system = request.messages.filter((message) => message.role === "system")
    .map((message) => message.content).join("\n\n");
  const functionDeclarations = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return {
    contents: toContents(request.messages, owner),
    config: {
      ...(system.trim() === "" ? {} : { systemInstruction: system }),
      ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
    },
  };
}

/**
 * What follows itself is joined, above all the results of one reply's calls. These stand by themselves: newer models refuse
 * a content that holds results and text.
 */
function toContents(messages: readonly Message[], owner: BlockOwner): Content[] {
  const contents: { role: string; parts: Part[] }[] = [];
  // Calls that the provider named itself: only their results carry the id.
  const namedCalls = new Set<string>();
  for (const message of addMediaTurns(messages)) {
    if (message.role === "system") continue;
    const parts = toParts(message, { owner, namedCalls });
    if (parts.length === 0) continue;
    const role = message.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    const isJoined = last?.role === role && holdsResults(last.parts) === holdsResults(parts);
    if (isJoined) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents;
}

function holdsResults(parts: readonly Part[]): boolean {
  return parts.some(({ functionResponse }) => functionResponse !== undefined);
}

function toParts(
  message: Exclude<Message, { role: "system" }>,
  options: { owner: BlockOwner; namedCalls: Set<string> },
): Part[] {
  switch (message.role) {
    case "user":
      return [
        ...textParts(message.content),
        ...(message.media ?? []).map(({ mediaType: mimeType, data }) => (
          { inlineData: { mimeType, data } }
        )),
      ];
    case "tool":
      return [toolResult(message, options.namedCalls)];
    case "assistant":
      return assistantParts(message, options);
  }
  return message satisfies never;
}

function assistantParts(
  message: AssistantMessage,
  options: { owner: BlockOwner; namedCalls: Set<string> },
): Part[] {
  const kept = keptBlocks(message, options.owner);
  if (kept !== undefined) {
    for (const part of kept) {
      const id = isJsonObject(part.functionCall) ? part.functionCall.id : undefined;
      if (typeof id === "string") options.namedCalls.add(id);
    }
    return kept.map(asPart);
  }
  return [
    ...textParts(message.content),
    ...message.toolCalls.map((call): Part => ({
      functionCall: { name: call.name, args: toArgumentsObject(call.arguments) },
    })),
  ];
}

/** What the provider itself sent as a part is a part to it. */
function asPart(part: JsonObject): Part {
  return part;
}

function toolResult(message: ToolMessage, namedCalls: ReadonlySet<string>): Part {
  const { toolCallId, toolName, content, isError } = message;
  return {
    functionResponse: {
      ...(namedCalls.has(toolCallId) ? { id: toolCallId } : {}),
      name: toolName,
      response: isError ? { error: content } : { output: content },
    },
  };
}

function textParts(text: string): Part[] {
  return text === "" ? [] : [{ text }];
}
