// The stores of executions that one service instance works with, each for one concern.
import { SqlAcceptanceStore } from "./acceptance.ts";
import { SqlConversationStore } from "./conversations.ts";
import { SqlBudgetStore } from "../budgets.ts";
import type { Database } from "../database.ts";
import { SqlEndingStore } from "./endings.ts";
import { SqlExecutionReads } from "./execution_reads.ts";
import { SqlFamilyStore } from "./families.ts";
import { SqlRecordedRunStore } from "./recorded_runs.ts";
import { SqlRecoveryStore } from "./recovery.ts";
import { SqlRequestStore } from "./requests.ts";
import { type MessageStock, NO_MESSAGES } from "../outbox.ts";

/** All of them, to be handed to who needs which. */
export interface SqlExecutionStores {
  acceptances: SqlAcceptanceStore;
  conversations: SqlConversationStore;
  requests: SqlRequestStore;
  families: SqlFamilyStore;
  endings: SqlEndingStore;
  recovery: SqlRecoveryStore;
  budgets: SqlBudgetStore;
  executions: SqlExecutionReads;
  recordedRuns: SqlRecordedRunStore;
}

/**
 * Puts them over a database; `instanceId` is whose executions they start, adopt and resume, but where machines share them
 * (`isShared`) and each takes its own. `messages` hears what people may want to know.
 */
export function createExecutionStores(
  db: Database,
  instanceId: string,
  { messages = NO_MESSAGES, isShared = false }: { messages?: MessageStock; isShared?: boolean } =
    {},
): SqlExecutionStores {
  const ownerId = isShared ? null : instanceId;
  return {
    acceptances: new SqlAcceptanceStore(db, ownerId),
    conversations: new SqlConversationStore(db),
    requests: new SqlRequestStore(db, ownerId, messages),
    families: new SqlFamilyStore(db),
    endings: new SqlEndingStore(db, ownerId, messages),
    recovery: new SqlRecoveryStore(db, instanceId),
    budgets: new SqlBudgetStore(db, instanceId),
    executions: new SqlExecutionReads(db),
    recordedRuns: new SqlRecordedRunStore(db),
  };
}
