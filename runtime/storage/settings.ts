// The table of settings: persistent values of the service, one row each.
import type { SettingsStore } from "../triggers/settings_store.ts";
import type { Database } from "../database/database.ts";
import { get, lock, type Operation, run } from "../database/operation.ts";

/** The settings of one database. */
export class SqlSettingsStore implements SettingsStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readSetting(name: string): Promise<string | undefined> {
    return this.#db.read(() => select(name));
  }

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
