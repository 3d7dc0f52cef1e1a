// Which models take pictures and PDF files, and requests without those that are not taken.
import type { ModelSettings } from "../../agents/agent.ts";
import type { Media } from "../../tool_vocabulary.ts";
import type { Message } from "../message.ts";
import type { ModelRequest } from "../model.ts";

/** Names of models that take pictures wherever they are served. */
const SEES =
  /claude|gemini|gpt-(?:4o|4\.1|5)|vision|vl\b|llava|pixtral|gemma-?3|llama-?4|minicpm-v|moondream/i;

/** Providers whose own models take both; an older one that does not refuses them. */
const OF_BOTH: readonly string[] = ["anthropic", "google", "openai"];

/** Whether a model takes pictures or PDF files: as its settings say, or by its provider and name. */
export function takesMedia({ input, provider, name }: ModelSettings, kind: Media["kind"]): boolean {
  if (input !== undefined) return input.includes(kind);
  return OF_BOTH.includes(provider) || kind === "image" && SEES.test(name);
}

const NOT_SHOWN = "\n(Not shown: it is a binary file, and this model does not take it.)";

/** The request without the pictures and PDF files that are not taken. */
export function withoutMedia(
  request: ModelRequest,
  isTaken: (kind: Media["kind"]) => boolean,
): ModelRequest {
  if (!request.messages.some((one) => "media" in one)) return request;
  const messages = request.messages.map((message): Message => {
    if (message.role !== "tool" || message.media === undefined) return message;
    const { media, ...told } = message;
    const taken = media.filter(({ kind }) => isTaken(kind));
    if (taken.length === media.length) return message;
    const content = told.content + NOT_SHOWN;
    return { ...told, content, ...(taken.length > 0 && { media: taken }) };
  });
  return { ...request, messages };
}
