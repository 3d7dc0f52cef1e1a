// The tables of mail triggers: the mails that have started runs, and the last mail that each agent has passed.
import type { Database } from "../../database/database.ts";
import { all, get, type Operation, requireLease, send } from "../../database/operation.ts";
import type { TakenMail } from "../../vocabulary/run_cause.ts";
import { DAY_MS } from "../../../base/time_units.ts";

/** The time in which a copied or moved mail is recognized by its Message-ID. */
const KNOWN_MS = 7 * DAY_MS;

/** The last mail of a folder that an agent has passed, whether or not it started a run. */
export interface MailPosition {
  account: string;
  folder: string;
  uidValidity: number;
  lastUid: number;
}

/** Returns the name of an account's lease. Of the machines that share the database, the holder reads the account. */
export function mailLease(account: string): string {
  return `mail ${account}`;
}

/**
 * Records that a mail starts a run of an agent. Returns false if the mail has started one before. Runs in the transaction
 * that creates the execution.
 */
export function* takeMail(agentId: string, mail: TakenMail, now: number): Operation<boolean> {
  yield* requireLease(mailLease(mail.account));
  yield* send("DELETE FROM taken_mails WHERE at < ?", now - KNOWN_MS);
  if (yield* isTaken(agentId, mail)) return false;
  const { account, folder, uidValidity, uid, messageId, sender } = mail;
  yield* send(
    "INSERT INTO taken_mails (agent_id, account, folder, uidvalidity, uid, message_id, sender, at) " +
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ...[agentId, account, folder, uidValidity, uid, messageId, sender, now],
  );
  return true;
}

/** Returns true if the mail, or another one with its Message-ID and sender, has started a run of the agent. */
function* isTaken(agentId: string, mail: TakenMail): Operation<boolean> {
  const { account, folder, uidValidity, uid, messageId, sender } = mail;
  return (yield* get(
    "SELECT 1 FROM taken_mails WHERE agent_id = ?1 AND (" +
      "account = ?2 AND folder = ?3 AND uidvalidity = ?4 AND uid = ?5 OR " +
      "message_id <> '' AND message_id = ?6 AND sender = ?7) LIMIT 1",
    ...[agentId, account, folder, uidValidity, uid, messageId, sender],
  )) !== undefined;
}

/** Reads and changes the tables of one database. */
export class SqlMailStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns true if the mail has started a run of the agent. */
  findTaken(agentId: string, mail: TakenMail): Promise<boolean> {
    return this.#db.read(() => isTaken(agentId, mail));
  }

  /** Returns the number of runs that a sender's mails have started since a time. */
  countRuns(agentId: string, sender: string, since: number): Promise<number> {
    return this.#db.read(function* () {
      const row = yield* get<{ count: number }>(
        "SELECT count(*) AS count FROM taken_mails WHERE agent_id = ? AND sender = ? AND at > ?",
        ...[agentId, sender, since],
      );
      return Number(row?.count ?? 0);
    });
  }

  /** Returns the number of the agent's runs by mail that have not ended. */
  countOpenRuns(agentId: string): Promise<number> {
    return this.#db.read(function* () {
      const row = yield* get<{ count: number }>(
        "SELECT count(*) AS count FROM executions " +
          "WHERE agent_id = ? AND trigger = 'mail' AND (status = 'waiting' OR status = 'running')",
        agentId,
      );
      return Number(row?.count ?? 0);
    });
  }

  readPosition(agentId: string): Promise<MailPosition | undefined> {
    return this.#db.read(function* () {
      const row = yield* get<MailPosition>(
        'SELECT account, folder, uidvalidity AS "uidValidity", last_uid AS "lastUid" ' +
          "FROM mail_positions WHERE agent_id = ?",
        agentId,
      );
      return row && { ...row };
    });
  }

  writePosition(agentId: string, position: MailPosition): Promise<void> {
    const { account, folder, uidValidity, lastUid } = position;
    return this.#db.change("process", function* () {
      yield* send(
        "INSERT INTO mail_positions (agent_id, account, folder, uidvalidity, last_uid) " +
          "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (agent_id) DO UPDATE " +
          "SET account = ?2, folder = ?3, uidvalidity = ?4, last_uid = ?5",
        ...[agentId, account, folder, uidValidity, lastUid],
      );
    });
  }

  /** Returns the ids of the agents with a position. */
  listAgents(): Promise<string[]> {
    return this.#db.read(function* () {
      const rows = yield* all<{ id: string }>("SELECT agent_id AS id FROM mail_positions");
      return rows.map(({ id }) => id);
    });
  }

  /** Removes the positions of agents that read no mail any more. */
  async forget(agentIds: readonly string[]): Promise<void> {
    if (agentIds.length === 0) return;
    await this.#db.change("process", function* () {
      for (const id of agentIds) yield* send("DELETE FROM mail_positions WHERE agent_id = ?", id);
    });
  }
}
