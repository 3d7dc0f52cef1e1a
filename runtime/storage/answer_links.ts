// The table of links with which questions are answered: what their tokens hash to, and which question each opens.
import { DAY_MS } from "../../base/time_units.ts";
import type { AnswerLinkStore, LinkedQuestion } from "../notify/answer_links.ts";
import type { Database } from "./database.ts";

/** So long after its end a link still says that it is over. */
const KEPT_MS = 30 * DAY_MS;

interface LinkRow {
  request_id: string;
  execution_id: number;
  /** Whether the question is closed, how, and whether the link's time is over. */
  is_closed: number;
  is_over: number;
  is_answered: number;
  is_expired: number;
}

/** Links in SQLite. */
export class SqliteAnswerLinkStore implements AnswerLinkStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  addLink(
    { hash, requestId, expiresAt }: { hash: string; requestId: string; expiresAt: number },
  ): void {
    this.#db.transaction("process", () => {
      this.#db.run("DELETE FROM answer_links WHERE expires_at < ?", expiresAt - KEPT_MS);
      this.#db.run(
        "INSERT INTO answer_links (hash, request_id, expires_at) " +
          "SELECT ?1, request_id, min(?3, coalesce(expires_at, ?3)) FROM requests WHERE request_id = ?2",
        hash,
        requestId,
        expiresAt,
      );
    });
  }

  findLink(hash: string, now: number): LinkedQuestion | undefined {
    const row = this.#db.get<LinkRow>(
      "SELECT request_id, execution_id, answered_at IS NOT NULL AS is_closed, " +
        "coalesce(response ->> '$.expired', 0) AS is_over, " +
        "response IS NOT NULL AS is_answered, answer_links.expires_at <= ? AS is_expired " +
        "FROM answer_links JOIN requests USING (request_id) WHERE hash = ?",
      now,
      hash,
    );
    if (row === undefined) return undefined;
    return { requestId: row.request_id, executionId: row.execution_id, state: stateOf(row) };
  }
}

function stateOf(
  { is_over, is_closed, is_answered, is_expired }: LinkRow,
): LinkedQuestion["state"] {
  if (is_over === 1) return "expired";
  if (is_closed === 1) return is_answered === 1 ? "answered" : "ended";
  return is_expired === 1 ? "expired" : "open";
}
