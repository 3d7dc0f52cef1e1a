// The stores of executions that one service instance works with, each for one concern.
import { SqliteAcceptanceStore } from "./acceptance.ts";
import { SqliteConversationStore } from "./conversations.ts";
import { SqliteBudgetStore } from "../budgets.ts";
import type { Database } from "../database.ts";
import { SqliteEndingStore } from "./endings.ts";
import { SqliteExecutionReads } from "./execution_reads.ts";
import { SqliteFamilyStore } from "./families.ts";
import { SqliteRecordedRunStore } from "./recorded_runs.ts";
import { SqliteRecoveryStore } from "./recovery.ts";
import { SqliteRequestStore } from "./requests.ts";
import { NO_OUTBOX, type Outbox } from "../../notify/outbox.ts";

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
  recordedRuns: SqliteRecordedRunStore;
}

/**
 * Puts them over a database; `instanceId` is whose executions they start, adopt and resume, `outbox` hears what people may
 * want to know.
 */
export function createExecutionStores(
  db: Database,
  instanceId: string,
  outbox: Outbox = NO_OUTBOX,
): SqliteExecutionStores {
  return {
    acceptances: new SqliteAcceptanceStore(db, instanceId),
    conversations: new SqliteConversationStore(db),
    requests: new SqliteRequestStore(db, instanceId, outbox),
    families: new SqliteFamilyStore(db),
    endings: new SqliteEndingStore(db, instanceId, outbox),
    recovery: new SqliteRecoveryStore(db, instanceId),
    budgets: new SqliteBudgetStore(db, instanceId),
    executions: new SqliteExecutionReads(db),
    recordedRuns: new SqliteRecordedRunStore(db),
  };
}
