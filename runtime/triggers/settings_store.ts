// The table of settings: persistent values of the service, one row each.
import type { Database } from "../database/database.ts";
import { get, lock, type Operation, run } from "../database/operation.ts";

/** The settings of one database. */
export class SqlSettingsStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns undefined if the setting was never set. */
  readSetting(name: string): Promise<string | undefined> {
    return this.#db.read(() => select(name));
  }

  /** Stores a value and reports if that changed it. A setting that was never set counts as `fallback`. */
  changeSetting(name: string, value: string, options: { fallback: string }): Promise<boolean> {
    return this.#db.change("power", function* () {
      yield* lock(`setting ${name}`);
      if (((yield* select(name)) ?? options.fallback) === value) return false;
      yield* run(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) " +
          "ON CONFLICT (key) DO UPDATE SET value = ?2",
        name,
        value,
      );
      return true;
    });
  }
}

function* select(name: string): Operation<string | undefined> {
  const row = yield* get<{ value: string }>("SELECT value FROM settings WHERE key = ?", name);
  return row?.value;
}
