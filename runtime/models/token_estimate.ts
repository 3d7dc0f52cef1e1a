// Token counts where the provider reports none: about four characters to a token.
import type { AssistantMessage } from "./message.ts";
import type { ModelRequest } from "./model.ts";

const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens a request's messages and tools take. */
export function estimateInputTokens(request: ModelRequest): number {
  let characters = 0;
  for (const message of request.messages) {
    characters += message.content.length;
    if (message.role === "assistant") characters += callCharacters(message);
  }
  if (request.tools.length > 0) characters += JSON.stringify(request.tools).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** About how many tokens a reply takes. */
export function estimateOutputTokens(message: AssistantMessage): number {
  return Math.ceil((message.content.length + callCharacters(message)) / CHARACTERS_PER_TOKEN);
}

function callCharacters(message: AssistantMessage): number {
  return message.toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}
