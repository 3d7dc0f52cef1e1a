// Creates the first messages of a run: the system message, the history of earlier runs, and the user turn. `inkling show
// --prompt` shows the same messages.
import type { Message } from "../../models/message.ts";
import type { FirstMessage } from "../record/conversation.ts";
import type { ConversationStore, SeededExecution } from "../record/conversation_store.ts";
import { seedHistory } from "./history.ts";
import type { RunPorts } from "./run_ports.ts";
import { createOpening, type OpeningContext, type OpeningSubject } from "./opening.ts";

/**
 * Returns the first messages of a run in order. Stores nothing. `given` are the stored messages that the request brought: the
 * history, and a user turn with pictures.
 */
export async function createFirstMessages(
  subject: OpeningSubject & { execution: SeededExecution; given?: readonly Message[] },
  ports: OpeningContext & Pick<RunPorts, "redactor"> & {
    conversations: Pick<ConversationStore, "readSeed">;
  },
): Promise<FirstMessage[]> {
  const { given = [], request } = subject;
  const seed = request.brought?.isHistory
    ? given.slice(0, -1)
    : seedHistory(await ports.conversations.readSeed(subject.execution), {
      level: subject.agent.history,
      redactor: ports.redactor,
    });
  const [system, user] = await createOpening(subject, ports);
  return [
    { message: system, seeded: false },
    ...seed.map((message) => ({ message, seeded: true })),
    { message: withPictures(user, given.at(-1)), seeded: false },
  ];
}

/** Returns the user turn with the pictures of the request. */
function withPictures(user: Message, given: Message | undefined): Message {
  if (given?.role !== "user" || user.role !== "user") return user;
  const { content, media } = given;
  return { ...user, content: user.content + content, ...(media && { media }) };
}
