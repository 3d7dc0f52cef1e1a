// Pairs a person with a chat: the terminal shows a code, the person sends it to the bot, and the terminal asks about the
// sender.
import { sha256Of } from "../../base/sha256.ts";
import type { ChatMessage, Sender } from "./chat_app.ts";
import type { ChatPorts } from "./chat_ports.ts";
import { PAIRING, type PairingNote } from "../../runtime/vocabulary/pairing.ts";

/** Notes the sender of a message that is the open code. Every other message of an unknown person has no effect. */
export async function offerCode(
  { text, sender, place }: ChatMessage,
  { notes, clock, app }: Pick<ChatPorts, "notes" | "clock" | "app">,
  signal: AbortSignal,
): Promise<Sender | undefined> {
  const open = await notes.readNote<PairingNote>(PAIRING);
  if (open === undefined || open.sender !== null || open.expiresAt <= clock.now()) return;
  if (await sha256Of(text.toUpperCase()) !== open.code) return;
  const name = await app.readName?.(sender, signal) ?? sender.name;
  await notes.write(PAIRING, { ...open, sender: { ...sender, name } });
  await app.send(place, { text: "The code is right. Confirm it at the terminal." }, signal);
  return sender;
}
