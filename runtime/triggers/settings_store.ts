// The table of settings: values of the service that survive a restart, one row each.
import { type AuditEntry, recordAudit } from "../audit/audit_table.ts";
import type { Database } from "../database/database.ts";
import { get, lock, type Operation } from "../database/operation.ts";
import { putSetting } from "./firing/check_setting.ts";

/** Reads and changes the settings of one database. */
export class SqlSettingsStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the value of a setting, or undefined if it was never set. */
  readSetting(name: string): Promise<string | undefined> {
    return this.#db.read(() => select(name));
  }

  /**
   * Stores the value of a setting. Returns true if that changed the value. The previous value of an unset setting is
   * `fallback`. The entry of the audit is recorded in any case.
   */
  changeSetting(
    name: string,
    value: string,
    options: { fallback: string; audit?: AuditEntry | undefined },
  ): Promise<boolean> {
    return this.#db.change("power", function* () {
      yield* recordAudit(options.audit);
      yield* lock(`setting ${name}`);
      if (((yield* select(name)) ?? options.fallback) === value) return false;
      yield* putSetting(name, value);
      return true;
    });
  }
}

function* select(name: string): Operation<string | undefined> {
  const row = yield* get<{ value: string }>("SELECT value FROM settings WHERE key = ?", name);
  return row?.value;
}
