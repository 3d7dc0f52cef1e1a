// All that a run's model is sent first: the opening, and between its two messages what the run remembers of earlier ones.
// A run sends it, and `inkling show --prompt` shows it.
import type { Redactor } from "../../secrets/redactor.ts";
import type { FirstMessage } from "../record/conversation.ts";
import type { ConversationStore, SeededExecution } from "../record/conversation_store.ts";
import { seedHistory } from "./history.ts";
import { createOpening, type OpeningPorts, type OpeningSubject } from "./opening.ts";

/** What they are made with. */
export interface FirstMessagesPorts extends OpeningPorts {
  conversations: Pick<ConversationStore, "readSeed">;
  /** Knows all secrets. */
  redactor: Redactor;
}

/** The messages in their order. Stores nothing. */
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
