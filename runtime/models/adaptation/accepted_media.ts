// Decides which models accept pictures and PDF files, and removes media that a model does not accept.
import type { ModelSettings } from "../../agents/agent.ts";
import { findProvider } from "../../config/providers.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";
import type { Message } from "../message.ts";
import type { ModelRequest } from "../model.ts";

/** Matches the names of models that accept pictures at every endpoint. */
const VISION_MODELS =
  /claude|gemini|gpt-(?:4o|4\.1|5)|vision|vl\b|llava|pixtral|gemma-?3|llama-?4|minicpm-v|moondream/i;

/**
 * Returns true if a model accepts this kind of media. Decides by the model's settings, otherwise by its provider and name.
 */
export function acceptsMedia(
  { input, provider, name }: ModelSettings,
  kind: Media["kind"],
): boolean {
  if (input !== undefined) return input.includes(kind);
  return findProvider(provider)?.acceptsMedia === true ||
    kind === "image" && VISION_MODELS.test(name);
}

const NOT_SHOWN = "\n(Not shown: it is a binary file, and this model does not accept it.)";

/** Returns the request without the media that the model does not accept. */
export function removeMedia(
  request: ModelRequest,
  isAccepted: (kind: Media["kind"]) => boolean,
): ModelRequest {
  if (!request.messages.some((one) => "media" in one)) return request;
  const messages = request.messages.map((message): Message => {
    if (!("media" in message) || message.media === undefined) return message;
    const { media, ...rest } = message;
    const accepted = media.filter(({ kind }) => isAccepted(kind));
    if (accepted.length === media.length) return message;
    const content = rest.content + NOT_SHOWN;
    return { ...rest, content, ...(accepted.length > 0 && { media: accepted }) };
  });
  return { ...request, messages };
}
