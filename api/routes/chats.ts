// The operations that pair a person with a chat: the code that the person sends to the bot, and its sender.
import { z } from "zod";
import { toTimestamp } from "../../base/clock.ts";
import { sha256Of } from "../../base/sha256.ts";
import { PAIRING, PAIRING_MS, type PairingNote } from "../../runtime/vocabulary/pairing.ts";
import { RequestRefused } from "../errors.ts";
import { operation, type PathResource } from "../operations/operation.ts";
import { PairingBody, PairingCode } from "../schemas/chat_schemas.ts";

/** The resource of a chat, by its name in config.yaml. */
const CHAT: PathResource<string> = {
  id: z.string(),
  async find(id, { runtime }) {
    const isKnown = () => runtime.config.chats.some(({ name }) => name === id);
    // The chat may have been added to config.yaml just now.
    if (!isKnown()) await runtime.listAgents({ fresh: true });
    if (!isKnown()) throw new RequestRefused(404, "Chat not found");
  },
};

/** The letters and digits of codes, without similar ones such as 0 and O. */
const LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

export const pairChat = operation({
  summary: "Create the code with which a person is paired with a chat",
  description:
    "The code is valid for five minutes and one sender; it replaces the chat's previous code.",
  resource: CHAT,
  response: PairingCode,
  async handle({ id }, services) {
    await CHAT.find(id, services);
    const { clock, messages } = services.runtime;
    const letters = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) =>
      LETTERS[byte % LETTERS.length]
    );
    const code = `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
    const expiresAt = clock.now() + PAIRING_MS;
    const note: PairingNote = { code: await sha256Of(code), expiresAt, sender: null };
    await (await messages.openChatNotes(id)).write(PAIRING, note);
    await services.runtime.audit.record("pair_chat", services.caller, { detail: { chat: id } });
    return { code, expiresAt: toTimestamp(expiresAt) };
  },
});

export const pairing = operation({
  summary: "The sender of a chat's newest code",
  resource: CHAT,
  response: PairingBody,
  async handle({ id }, services) {
    await CHAT.find(id, services);
    const { messages } = services.runtime;
    const note = await (await messages.openChatNotes(id)).readNote<PairingNote>(PAIRING);
    return { sender: note?.sender ?? null };
  },
});
