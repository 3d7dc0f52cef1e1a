// Creates the first messages of a run: the system message, the history of earlier runs, and the user turn. `inkling show
// --prompt` shows the same messages.
import type { FirstMessage } from "../record/conversation.ts";
import type { ConversationStore, SeededExecution } from "../record/conversation_store.ts";
import { seedHistory } from "./history.ts";
import type { RunPorts } from "./run_ports.ts";
import { createOpening, type OpeningContext, type OpeningSubject } from "./opening.ts";

/** Returns the first messages of a run in order. Stores nothing. */
export async function createFirstMessages(
  subject: OpeningSubject & { execution: SeededExecution },
  ports: OpeningContext & Pick<RunPorts, "redactor"> & {
    conversations: Pick<ConversationStore, "readSeed">;
  },
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
