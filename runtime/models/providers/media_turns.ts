// Moves pictures and PDF files from tool results to a user message, for formats whose tool results contain only text.
import type { Message } from "../message.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";

/**
 * Returns the messages with an added user message for the media of each group of tool results. The added message follows
 * the results and the messages that they injected.
 */
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
