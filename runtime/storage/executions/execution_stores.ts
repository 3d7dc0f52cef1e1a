// Creates the stores of executions for one service instance. Each store has one concern.
import { SqlAcceptanceStore } from "./acceptance.ts";
import { SqlConversationStore } from "./conversations.ts";
import { SqlBudgetStore } from "../../executions/budget/budget_store.ts";
import { SpendingTable } from "../../executions/budget/spending_table.ts";
import type { Database } from "../../database/database.ts";
import { SqlEndingStore } from "./endings.ts";
import { KeptExecutionReads } from "./kept_reads.ts";
import { SqlFamilyStore } from "./families.ts";
import { SqlRecordedRunStore } from "./recorded_runs.ts";
import { SqlRecoveryStore } from "./recovery.ts";
import { SqlRequestStore } from "./requests.ts";
import { SqlRestStore } from "./rests.ts";
import { type EventMessages, NO_MESSAGES } from "../../notify/outbox.ts";

/** The stores of executions of one service instance. */
export interface SqlExecutionStores {
  acceptances: SqlAcceptanceStore;
  conversations: SqlConversationStore;
  requests: SqlRequestStore;
  rests: SqlRestStore;
  families: SqlFamilyStore;
  endings: SqlEndingStore;
  recovery: SqlRecoveryStore;
  budgets: SqlBudgetStore;
  executions: KeptExecutionReads;
  recordedRuns: SqlRecordedRunStore;
}

/**
 * Creates the stores over a database. `instanceId` owns the executions that they start, adopt and resume. With `isShared`,
 * new executions have no owner until a node claims them. `messages` stores the messages to people about events.
 */
export function createExecutionStores(
  db: Database,
  instanceId: string,
  { messages = NO_MESSAGES, isShared = false }: { messages?: EventMessages; isShared?: boolean } =
    {},
): SqlExecutionStores {
  const ownerId = isShared ? null : instanceId;
  const spending = new SpendingTable();
  return {
    acceptances: new SqlAcceptanceStore(db, ownerId),
    conversations: new SqlConversationStore(db, spending),
    requests: new SqlRequestStore(db, ownerId, messages),
    rests: new SqlRestStore(db, ownerId),
    families: new SqlFamilyStore(db),
    endings: new SqlEndingStore(db, ownerId, { messages, spending }),
    recovery: new SqlRecoveryStore(db, instanceId),
    budgets: new SqlBudgetStore(db, instanceId, spending),
    executions: new KeptExecutionReads(db),
    recordedRuns: new SqlRecordedRunStore(db),
  };
}
