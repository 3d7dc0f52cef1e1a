// What a journal needs: the stores of everything that a run changes, and what it writes with.
import type { Clock } from "../../../base/clock.ts";
import type { ExecutionLog } from "../../events/log.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { ConversationStore } from "./conversation_store.ts";
import type { Consequences, EndingStore, Outcome } from "./ending_store.ts";
import type { Execution } from "../execution.ts";
import type { FamilyStore } from "./family_store.ts";
import type { RequestStore } from "./request_store.ts";

/** What a journal writes to: every change of an execution while it runs. */
export interface JournalStores {
  conversations: ConversationStore;
  requests: RequestStore;
  families: Pick<FamilyStore, "waitForChild">;
  endings: EndingStore;
}

/** What a journal writes with. */
export interface JournalPorts extends JournalStores {
  log: ExecutionLog;
  redactor: Redactor;
  clock: Clock;
  /** What an end means for the triggers of agents; nothing where it is absent. */
  consequencesOf?: (execution: Execution, outcome: Outcome) => Consequences;
}
