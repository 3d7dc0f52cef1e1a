// The first messages of a run: the system message, the history of earlier runs, and the user turn. `inkling show --prompt`
// shows the same messages.
import type { Redactor } from "../../secrets/redactor.ts";
import type { FirstMessage } from "../record/conversation.ts";
import type { ConversationStore, SeededExecution } from "../record/conversation_store.ts";
import { seedHistory } from "./history.ts";
import { createOpening, type OpeningPorts, type OpeningSubject } from "./opening.ts";

/** The collaborators of createFirstMessages. */
export interface FirstMessagesPorts extends OpeningPorts {
  conversations: Pick<ConversationStore, "readSeed">;
  /** Knows all secrets. */
  redactor: Redactor;
}

/** Returns the messages in order. Stores nothing. */
export async function createFirstMessages(
  subject: OpeningSubject & { execution: SeededExecution },
  ports: FirstMessagesPorts,
): Promise<FirstMessage[]> {
  const seed = seedHistory(await ports.conversations.readSeed(subject.execution), {
    level: subject.agent.history,
    redactor: ports.redactor,
  });
  const [system, user] = await createOpening(subject, ports);
  return [
    { message: system, seeded: false },
    ...seed.map((message) => ({ message, seeded: true })),
    { message: user, seeded: false },
  ];
}
