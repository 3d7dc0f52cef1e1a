// Stores what the chats must know after a restart: messages that show a question, runs whose answer is not sent yet, and
// the conversations of people.
import { DAY_MS } from "../../base/time_units.ts";
import type { Context } from "../config/context.ts";
import type { Database } from "../database/database.ts";
import { all, get, run, send } from "../database/operation.ts";

const RETENTION_MS = 7 * DAY_MS;

/** An SQL condition for the notes of a chat with a prefix. */
const MATCHES = "chat = ?1 AND substr(name, 1, length(?2)) = ?2";

const UPSERT = "INSERT INTO chat_notes (chat, name, value, changed_at) VALUES (?1, ?2, ?3, ?4) " +
  "ON CONFLICT (chat, name) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at";

/** The notes of one chat, each with a name such as `run:12`. */
export type ChatNotes = Pick<SqlChatNotes, keyof SqlChatNotes>;

/** The notes of one chat in one database. `Value` must be the JSON type that was written. */
export class SqlChatNotes {
  readonly #db: Database;
  readonly #chat: string;
  readonly #clock: Context["clock"];

  constructor(db: Database, { chat, clock }: Pick<Context, "clock"> & { chat: string }) {
    this.#db = db;
    this.#chat = chat;
    this.#clock = clock;
  }

  readNote<Value>(name: string): Promise<Value | undefined> {
    const chat = this.#chat;
    return this.#db.read(function* () {
      const sql = "SELECT value FROM chat_notes WHERE chat = ? AND name = ?";
      const row = yield* get<{ value: string }>(sql, chat, name);
      return row && JSON.parse(row.value);
    });
  }

  /** Returns the notes whose names begin with `prefix`, sorted by name. */
  listNotes<Value>(prefix: string): Promise<{ name: string; value: Value }[]> {
    const chat = this.#chat;
    return this.#db.read(function* () {
      const sql = `SELECT name, value FROM chat_notes WHERE ${MATCHES} ORDER BY name`;
      const rows = yield* all<{ name: string; value: string }>(sql, chat, prefix);
      return rows.map(({ name, value }) => ({ name, value: JSON.parse(value) }));
    });
  }

  write(name: string, value: unknown): Promise<void> {
    const row = [this.#chat, name, JSON.stringify(value), this.#clock.now()];
    return this.#db.change("process", () => send(UPSERT, ...row));
  }

  remove(name: string): Promise<void> {
    const sql = "DELETE FROM chat_notes WHERE chat = ? AND name = ?";
    return this.#db.change("process", () => send(sql, this.#chat, name));
  }

  /** Removes the notes with this prefix that were written more than 7 days ago. */
  purge(prefix: string): Promise<void> {
    const sql = `DELETE FROM chat_notes WHERE ${MATCHES} AND changed_at < ?3`;
    const before = this.#clock.now() - RETENTION_MS;
    return this.#db.change("process", () => send(sql, this.#chat, prefix, before));
  }

  /** Makes `holder` the only holder of a claim for `ms` milliseconds. Returns false while another one holds it. */
  async claim(name: string, holder: string, ms: number): Promise<boolean> {
    const now = this.#clock.now();
    const sql = `${UPSERT} WHERE chat_notes.value = excluded.value OR chat_notes.changed_at < ?5`;
    const row = [this.#chat, name, JSON.stringify(holder), now, now - ms];
    return await this.#db.change("process", () => run(sql, ...row)) === 1;
  }

  /** Ends a claim before its time, if `holder` holds it. */
  release(name: string, holder: string): Promise<void> {
    const sql = "DELETE FROM chat_notes WHERE chat = ? AND name = ? AND value = ?";
    return this.#db.change("process", () => send(sql, this.#chat, name, JSON.stringify(holder)));
  }
}
