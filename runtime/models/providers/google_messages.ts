// The runtime's conversation in the format of the Gemini API.
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { AssistantMessage, Message, ToolMessage } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import { addMediaTurns } from "./media_turns.ts";
import { type BlockOwner, keptBlocks } from "./provider_blocks.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";

type Content = { parts: JsonObject[]; role: string };

/** System prompt, tools and contents of a request; `owner` is the model whose thought signatures go back to it. */
export function toGooglePrompt(
  request: Pick<ModelRequest, "messages" | "tools">,
  owner: BlockOwner,
): { contents: Content[]; systemInstruction?: JsonObject; tools?: JsonObject[] } {
  const system = request.messages.filter((message) => message.role === "system")
    .map((message) => message.content).join("\n\n");
  const functionDeclarations = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return {
    contents: toContents(request.messages, owner),
    ...(system.trim() === ""
      ? {}
      : { systemInstruction: { parts: [{ text: system }], role: "user" } }),
    ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
  };
}

/**
 * What follows itself is joined, above all the results of one reply's calls. These stand by themselves: newer models refuse
 * a content that holds results and text.
 */
function toContents(messages: readonly Message[], owner: BlockOwner): Content[] {
  const contents: Content[] = [];
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
    else contents.push({ parts, role });
  }
  return contents;
}

function holdsResults(parts: readonly JsonObject[]): boolean {
  return parts.some(({ functionResponse }) => functionResponse !== undefined);
}

function toParts(
  message: Exclude<Message, { role: "system" }>,
  options: { owner: BlockOwner; namedCalls: Set<string> },
): JsonObject[] {
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
): JsonObject[] {
  const kept = keptBlocks(message, options.owner);
  if (kept !== undefined) {
    for (const part of kept) {
      const id = isJsonObject(part.functionCall) ? part.functionCall.id : undefined;
      if (typeof id === "string") options.namedCalls.add(id);
    }
    return kept;
  }
  return [
    ...textParts(message.content),
    ...message.toolCalls.map((call): JsonObject => ({
      functionCall: { args: toArgumentsObject(call.arguments), name: call.name },
    })),
  ];
}

function toolResult(message: ToolMessage, namedCalls: ReadonlySet<string>): JsonObject {
  const { toolCallId, toolName, content, isError } = message;
  return {
    functionResponse: {
      ...(namedCalls.has(toolCallId) ? { id: toolCallId } : {}),
      name: toolName,
      response: isError ? { error: content } : { output: content },
    },
  };
}

function textParts(text: string): JsonObject[] {
  return text === "" ? [] : [{ text }];
}
