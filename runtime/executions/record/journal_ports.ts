// The types of the objects that a journal needs.
import type { Context } from "../../config/context.ts";
import type { ExecutionLog } from "../../events/log.ts";
import type { ConversationStore } from "./conversation_store.ts";
import type { Consequences, EndingStore, Outcome } from "./ending_store.ts";
import type { Execution } from "../execution.ts";
import type { FamilyStore } from "./family_store.ts";
import type { RequestStore } from "./request_store.ts";

/** The stores that a journal writes to. */
export interface JournalStores {
  conversations: ConversationStore;
  requests: RequestStore;
  families: Pick<FamilyStore, "waitForChild">;
  endings: EndingStore;
}

/** The stores and other objects that a journal needs. */
export interface JournalPorts extends JournalStores, Pick<Context, "clock" | "redactor"> {
  executionLog: ExecutionLog;
  /** Returns the consequences of an end for the triggers of agents. If absent, an end has none. */
  consequencesOf?: (execution: Execution, outcome: Outcome) => Consequences;
}
