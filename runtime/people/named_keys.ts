// Stores the named keys of people and programs. The database contains only the digest of each key.
import type { Clock } from "../../base/clock.ts";
import { RuntimeError } from "../../base/errors.ts";
import { sha256Of } from "../../base/sha256.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { SqlAudit } from "../audit/audit.ts";
import { type AuditEntry, recordAudit } from "../audit/audit_table.ts";
import type { Database } from "../database/database.ts";
import { all, get, run, type SqlValue } from "../database/operation.ts";
import type { Caller } from "../vocabulary/callers.ts";
import type { Role } from "../vocabulary/rights.ts";

/** A named key without its secret. Times are in milliseconds since the epoch. */
export interface NamedKey {
  name: string;
  role: Role;
  /** The ids of the only agents that the key may use. Null: all agents. */
  agents: readonly string[] | null;
  createdAt: number;
  expiresAt: number | null;
  /** The last use, at most a minute too early. Null if the key was never used. */
  usedAt: number | null;
}

/** The sender of a request with a named key. */
export type KeyOwner = Caller & { name: string; key: string };

/** Error: there is no key of this name. */
export class KeyNotFound extends RuntimeError {
  readonly code = "not_found";

  constructor(name: string) {
    super(`There is no key "${name}"`);
  }
}

/** Error: a key of this name exists. */
export class KeyConflict extends RuntimeError {
  readonly code = "conflict";

  constructor(name: string) {
    super(`There is a key "${name}" already; "inkling key revoke ${name}" removes it`);
  }
}

/** The form of a key: 256 random bits. Its beginning lets secret scanners find it. */
const FORM = /^inkling_[\w-]{43}$/;

type KeyRow = Omit<NamedKey, "agents"> & { agents: string | null };

const COLUMNS = 'name, role, agents, created_at AS "createdAt", expires_at AS "expiresAt", ' +
  'used_at AS "usedAt"';

/** The named keys of the service. */
export type NamedKeys = Pick<SqlNamedKeys, keyof SqlNamedKeys>;

/** The named keys in one database. A change is recorded in the audit as made by its caller. */
export class SqlNamedKeys {
  readonly #db: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #audit: Pick<SqlAudit, "entry">;

  constructor(
    db: Database,
    { clock, audit }: { clock: Pick<Clock, "now">; audit: Pick<SqlAudit, "entry"> },
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
  }

  /** Returns the owner of a key. Undefined if the key is unknown or has expired. Sends no statement for another text. */
  async find(key: string): Promise<KeyOwner | undefined> {
    if (!FORM.test(key)) return undefined;
    // Decision: each request reads the row by its digest, so that a revocation needs no message to other nodes.
    const digest = await sha256Of(key);
    const row = await this.#db.read(() =>
      get<KeyRow>(`SELECT ${COLUMNS} FROM named_keys WHERE digest = ?`, digest)
    );
    const now = this.#clock.now();
    if (row === undefined || (row.expiresAt ?? Infinity) <= now) return undefined;
    if ((row.usedAt ?? 0) <= now - MINUTE_MS) {
      const sql = "UPDATE named_keys SET used_at = ? WHERE digest = ?";
      await this.#db.change("process", () => run(sql, now, digest));
    }
    const { name, role, agents } = row;
    return { via: "api", name, key: name, role, ...(agents && { agents: JSON.parse(agents) }) };
  }

  /** Returns all keys, sorted by name. */
  async list(): Promise<NamedKey[]> {
    const rows = await this.#db.read(() =>
      all<KeyRow>(`SELECT ${COLUMNS} FROM named_keys ORDER BY name`)
    );
    return rows.map((row) => ({ ...row, agents: row.agents && JSON.parse(row.agents) }));
  }

  /** Adds a key and returns its secret. Throws KeyConflict if the name is in use. */
  async add(
    { name, role, agents, lifeMs }: Pick<NamedKey, "name" | "role" | "agents"> & {
      lifeMs: number | null;
    },
    by: Caller,
  ): Promise<string> {
    const key = createKey();
    const now = this.#clock.now();
    const sql = "INSERT INTO named_keys (name, digest, role, agents, created_at, expires_at) " +
      "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING";
    const values = [
      ...[name, await sha256Of(key), role, agents && JSON.stringify(agents)],
      ...[now, lifeMs === null ? null : now + lifeMs],
    ];
    const audit = this.#audit.entry("add_key", by, {
      detail: { name, role, ...(agents && { agents: [...agents] }) },
    });
    if (await this.#change(audit, sql, ...values)) return key;
    throw new KeyConflict(name);
  }

  /** Ends a key at once, on all nodes. Throws KeyNotFound. */
  async revoke(name: string, by: Caller): Promise<void> {
    const audit = this.#audit.entry("revoke_key", by, { detail: { name } });
    const sql = "DELETE FROM named_keys WHERE name = ?";
    if (!await this.#change(audit, sql, name)) throw new KeyNotFound(name);
  }

  /** Replaces the secret of a key, and returns the new one, which is valid as long as the first one was. Throws KeyNotFound. */
  async renew(name: string, by: Caller): Promise<string> {
    const key = createKey();
    const sql = "UPDATE named_keys SET digest = ?2, expires_at = ?3 + expires_at - created_at, " +
      "created_at = ?3 WHERE name = ?1";
    const audit = this.#audit.entry("renew_key", by, { detail: { name } });
    const values = [name, await sha256Of(key), this.#clock.now()];
    if (await this.#change(audit, sql, ...values)) return key;
    throw new KeyNotFound(name);
  }

  /** Runs a statement and records it. Returns false, and records nothing, if it changes no row. */
  #change(
    audit: AuditEntry | undefined,
    sql: string,
    ...values: SqlValue[]
  ): Promise<boolean> {
    return this.#db.change("power", function* () {
      if ((yield* run(sql, ...values)) === 0) return false;
      yield* recordAudit(audit);
      return true;
    });
  }
}

function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `inkling_${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}
