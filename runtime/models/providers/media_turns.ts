// Moves the pictures and PDF files of results to a user turn, for formats with text results only.
import type { Message } from "../message.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";

/** Adds a turn with the media after each group of results and the messages that they injected. */
export function addMediaTurns(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((one) => one.role === "tool" && one.media)) return messages;
  let media: Media[] = [];
  return messages.flatMap((message, index) => {
    if (message.role === "tool") media.push(...message.media ?? []);
    const next = messages[index + 1];
    const goesOn = next?.role === "tool" || next?.role === "user" && next.injected;
    if (media.length === 0 || goesOn) return [message];
    const turn = {
      role: "user",
      content: "The pictures and files of these results:",
      injected: true,
      media,
    } as const;
    media = [];
    return [message, turn];
  });
}
