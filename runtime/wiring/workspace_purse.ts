// The purse of model calls that no agent makes: a person has an agent written, or a model tried. They count in the budget
// of the workspace, in the database of its service, which may be running meanwhile.
import { readMachineTimeZone } from "../agents/machine_time_zone.ts";
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import { BudgetGate } from "../executions/budget/budget_gate.ts";
import { ModelPrices } from "../models/pricing.ts";
import type { Purse } from "../models/spending.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { SqlBudgetStore } from "../storage/budgets.ts";
import { SqliteDatabase } from "../storage/sqlite/sqlite_database.ts";
import { findHistory } from "../storage/state_dir/history_place.ts";
import { makeStateDir } from "../storage/state_dir/state_dir.ts";

/** Whose purse it is. */
export interface WorkspacePurseOptions {
  config: Config;
  directories: Directories;
  shell: Readonly<Record<string, string>>;
  clock: Clock;
  log: ServiceLog;
}

/** A purse that has to be closed. */
export interface WorkspacePurse extends Disposable {
  purse: Omit<Purse, "model">;
}

/** Opens it. Throws StateDirUnusable and DatabaseUnusable. */
export async function openWorkspacePurse(options: WorkspacePurseOptions): Promise<WorkspacePurse> {
  const { config, directories, shell, clock, log } = options;
  const db = await openDatabase(options);
  const gate = new BudgetGate({
    store: new SqlBudgetStore(db, crypto.randomUUID()),
    families: { readLineage: () => Promise.resolve([]) },
    findAgent: () => undefined,
    config: () => config,
    timeZone: () => readMachineTimeZone(shell["TZ"]).name,
    clock,
    log,
  });
  const prices = new ModelPrices({ files: directories.pricingFiles, clock, log });
  return { purse: { gate, prices }, [Symbol.dispose]: () => db[Symbol.dispose]() };
}

/** Nothing is made for a workspace in which nothing ran yet and nothing is bounded: there is nothing to hold a call to. */
async function openDatabase(
  { config, directories }: WorkspacePurseOptions,
): Promise<SqliteDatabase> {
  const path = findHistory(directories);
  if (path !== undefined) return SqliteDatabase.open(path);
  const { perDay, perMonth, tokens } = config.budget;
  const limits = [perDay, perMonth, tokens.perDay, tokens.perMonth];
  if (limits.every((limit) => limit === null)) return SqliteDatabase.open(":memory:");
  await makeStateDir(directories.stateDir);
  return SqliteDatabase.open(directories.databaseFile);
}
