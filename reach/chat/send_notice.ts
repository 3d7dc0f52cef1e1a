// Sends messages that are no answers to the people of a chat.
import { cutEnd } from "../../base/text/cut_text.ts";
import type { ChatPerson } from "../../runtime/config/chat_schema.ts";
import type { OutgoingMessage } from "../../runtime/notify/channels/channel.ts";
import { AppFailure } from "./chat_app.ts";
import { type ChatPorts, may } from "./chat_ports.ts";

/** A message to people that is not the answer to one: a question, a failure, a recap. */
export type Notice = Pick<
  OutgoingMessage,
  "title" | "text" | "executionId" | "requestId" | "isReminder"
>;

/** A function that is called for each person to whom the app does not deliver, although others get the message. */
export type Refused = (failure: AppFailure, person: ChatPerson) => void;

/** Sends a notice without a question to everybody who may answer. Throws AppFailure. */
export async function sendNotice(
  { title, text }: Pick<Notice, "title" | "text">,
  { settings, app, refused }: Pick<ChatPorts, "settings" | "app"> & { refused: Refused },
  signal: AbortSignal,
): Promise<void> {
  const people = settings()?.people.filter((one) => may(one, "answer")) ?? [];
  if (people.length === 0) {
    throw new AppFailure("nobody in its people may answer", { isFinal: true });
  }
  await sendToEach(people, refused, async ({ id }) => {
    const place = await app.openDirect?.(id, signal) ?? id;
    await app.send(place, { text: cutEnd(`${title}\n${text}`, app.maxText) }, signal);
  });
}

/**
 * Sends a message to each person. A person who has blocked the bot does not keep it from the others. Throws AppFailure if
 * nobody gets it, or another attempt can succeed.
 */
export async function sendToEach(
  people: readonly ChatPerson[],
  refused: Refused,
  send: (person: ChatPerson) => Promise<void>,
): Promise<void> {
  const failures: [AppFailure, ChatPerson][] = [];
  for (const person of people) {
    try {
      await send(person);
    } catch (error) {
      if (!(error instanceof AppFailure) || !error.isFinal) throw error;
      failures.push([error, person]);
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === people.length) throw first[0];
  for (const one of failures) refused(...one);
}
