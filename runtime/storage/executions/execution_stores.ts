// The stores of executions that one service instance works with, each for one concern.
import { SqliteAcceptanceStore } from "./acceptance.ts";
import { SqliteConversationStore } from "./conversations.ts";
import { SqliteBudgetStore } from "../budgets.ts";
import type { Database } from "../database.ts";
import { SqliteEndingStore } from "./endings.ts";
import { SqliteExecutionReads } from "./execution_reads.ts";
import { SqliteFamilyStore } from "./families.ts";
import { SqliteRecoveryStore } from "./recovery.ts";
import { SqliteRequestStore } from "./requests.ts";

/** All of them, to be handed to who needs which. */
export interface SqliteExecutionStores {
  acceptances: SqliteAcceptanceStore;
  conversations: SqliteConversationStore;
  requests: SqliteRequestStore;
  families: SqliteFamilyStore;
  endings: SqliteEndingStore;
  recovery: SqliteRecoveryStore;
  budgets: SqliteBudgetStore;
  executions: SqliteExecutionReads;
}

/** Puts them over a database; `instanceId` is whose executions they start, adopt and resume. */
export function createExecutionStores(db: Database, instanceId: string): SqliteExecutionStores {
  return {
    acceptances: new SqliteAcceptanceStore(db, instanceId),
    conversations: new SqliteConversationStore(db),
    requests: new SqliteRequestStore(db, instanceId),
    families: new SqliteFamilyStore(db),
    endings: new SqliteEndingStore(db, instanceId),
    recovery: new SqliteRecoveryStore(db, instanceId),
    budgets: new SqliteBudgetStore(db, instanceId),
    executions: new SqliteExecutionReads(db),
  };
}
