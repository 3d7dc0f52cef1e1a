// Pictures and PDF files of results for formats whose results are texts: a turn of the user behind the results.
import type { Message } from "../message.ts";
import type { Media } from "../../tool_vocabulary.ts";

/** The messages, with a turn that has the media of each group of results, behind the instructions that these brought. */
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
