// The table of settings: what the service remembers about itself, one row each.
import type { SettingsStore } from "../triggers/settings_store.ts";
import type { Database } from "./database.ts";

/** Settings in SQLite. */
export class SqliteSettingsStore implements SettingsStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readSetting(name: string): Promise<string | undefined> {
    return Promise.resolve(this.#read(name));
  }

  changeSetting(name: string, value: string, options: { fallback: string }): Promise<boolean> {
    return this.#db.change("power", () => {
      if ((this.#read(name) ?? options.fallback) === value) return false;
      this.#db.run(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) " +
          "ON CONFLICT (key) DO UPDATE SET value = ?2",
        name,
        value,
      );
      return true;
    });
  }

  #read(name: string): string | undefined {
    return this.#db.get<{ value: string }>("SELECT value FROM settings WHERE key = ?", name)?.value;
  }
}
