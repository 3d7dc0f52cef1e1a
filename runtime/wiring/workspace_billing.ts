// Opens the billing of model calls outside of agents' runs, such as the draft of an agent or the test of a model. These
// calls count toward the workspace's budget in the service's database. A service may use that database at the same time.
import { readMachineTimeZone } from "../agents/machine_time_zone.ts";
import type { Clock } from "../../base/clock.ts";
import { hasLimit } from "../config/agent_settings.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { BudgetGate } from "../executions/budget/budget_gate.ts";
import { ModelPrices } from "../models/pricing.ts";
import type { CallBilling } from "../models/calls/spending.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { SqlBudgetStore } from "../executions/budget/budget_store.ts";
import type { Database } from "../database/database.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { findHistory } from "../storage/state_dir/history_place.ts";
import { makeStateDir } from "../storage/state_dir/state_dir.ts";

const loadPostgres = lazyModule(() => import("../storage/postgres/postgres_database.ts"));

/**
 * The maximum number of database connections. Most commands make one model call after another; `inkling test --live` makes
 * a few at once.
 */
const CONNECTIONS = 3;

/** Options of openWorkspaceBilling(). */
export interface WorkspaceBillingOptions {
  settings: Pick<WorkspaceSettings, "config" | "directories" | "shell" | "database">;
  clock: Clock;
  log: ServiceLog;
}

/** Opens the billing of a workspace, which must be disposed. Throws StateDirUnusable and DatabaseUnusable. */
export async function openWorkspaceBilling(
  options: WorkspaceBillingOptions,
): Promise<AsyncDisposable & { billing: Omit<CallBilling, "model"> }> {
  const { settings, clock, log } = options;
  const { directories, shell } = settings;
  await using resources = new AsyncDisposableStack();
  const db = resources.use(await openDatabase(settings));
  const gate = new BudgetGate({
    store: new SqlBudgetStore(db, crypto.randomUUID()),
    families: { readLineage: () => Promise.resolve([]) },
    findAgent: () => undefined,
    settings,
    timeZone: () => readMachineTimeZone(shell["TZ"]).name,
    clock,
    log,
  });
  const prices = new ModelPrices({ files: directories.pricingFiles, clock, log });
  const opened = resources.move();
  return { billing: { gate, prices }, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Opens the workspace's database, or a database in memory if there are no runs and no budgets. */
async function openDatabase(
  { config, directories, database }: WorkspaceBillingOptions["settings"],
): Promise<Database & (Disposable | AsyncDisposable)> {
  if (database !== undefined) {
    const { PostgresDatabase } = await loadPostgres();
    const { address } = database;
    // Only services migrate the schema, because a running older service could not start again after a migration.
    return PostgresDatabase.open({ address, connections: CONNECTIONS, migrates: false });
  }
  const path = findHistory(directories);
  if (path !== undefined) return SqliteDatabase.open(path);
  const { budget } = config;
  if (!hasLimit(budget) && !hasLimit(budget.tokens)) return SqliteDatabase.open(":memory:");
  await makeStateDir(directories.stateDir);
  return SqliteDatabase.open(directories.databaseFile);
}
