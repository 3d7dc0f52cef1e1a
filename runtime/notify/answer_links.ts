// Creates and resolves the links in messages by which a person answers a question. Only the hashes of their tokens are
// stored.
import { sha256Of } from "../../base/sha256.ts";
import { DAY_MS } from "../../base/time_units.ts";
import type { Context } from "../config/context.ts";
import type { Database } from "../database/database.ts";
import { get, isTrue, send } from "../database/operation.ts";

/** The lifetime of a link in milliseconds. A link also expires with its question. */
export const LINK_MS = DAY_MS;
const TOKEN_BYTES = 32;

/** Creates the secret part of a link. */
export function newToken(): string {
  return crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The question that a link opens, and whether it can be answered. */
export interface LinkedQuestion {
  requestId: string;
  executionId: number;
  /**
   * `open`: the question can be answered. `answered`: somebody has answered it. `ended`: its execution has ended.
   * `expired`: the link or the question has expired.
   */
  state: "open" | "answered" | "ended" | "expired";
}

/** The time for which an expired link is stored, in milliseconds. Until then the link can report that it has expired. */
const KEPT_MS = 30 * DAY_MS;

interface LinkRow {
  request_id: string;
  execution_id: number;
  /**
   * 1 if the question no longer waits for an answer. `is_over`: 1 if the question has expired. `is_answered`: 1 if it was
   * answered. `is_expired`: 1 if the link has expired.
   */
  is_closed: number;
  is_over: number;
  is_answered: number;
  is_expired: number;
}

/** The answer links of one database. */
export class SqlAnswerLinks {
  readonly #db: Database;
  readonly #clock: Context["clock"];

  constructor(db: Database, { clock }: Pick<Context, "clock">) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Creates a link to a question and returns its path. It is valid for LINK_MS, or until its question expires. Each attempt
   * to deliver a message gets a new link, because the token itself is not stored.
   */
  async create(requestId: string): Promise<string> {
    const token = newToken();
    const hash = await sha256Of(token);
    const expiresAt = this.#clock.now() + LINK_MS;
    await this.#db.change("process", function* () {
      yield* send("DELETE FROM answer_links WHERE expires_at < ?", expiresAt - KEPT_MS);
      yield* send(
        "INSERT INTO answer_links (hash, request_id, expires_at) " +
          "SELECT ?1, request_id, CASE WHEN expires_at < ?3 THEN expires_at ELSE ?3 END FROM requests WHERE request_id = ?2",
        hash,
        requestId,
        expiresAt,
      );
    });
    return `/answer/${token}`;
  }

  /** Returns the question that belongs to a token, or undefined for an unknown token. Takes the same time in both cases. */
  async findLink(token: string): Promise<LinkedQuestion | undefined> {
    const [hash, now] = [await sha256Of(token), this.#clock.now()];
    return await this.#db.read(function* () {
      const row = yield* get<LinkRow>(
        "SELECT request_id, execution_id, answered_at IS NOT NULL AS is_closed, " +
          `${isTrue("response ->> '$.expired'")} AS is_over, ` +
          "response IS NOT NULL AS is_answered, answer_links.expires_at <= ? AS is_expired " +
          "FROM answer_links JOIN requests USING (request_id) WHERE hash = ?",
        now,
        hash,
      );
      if (row === undefined) return undefined;
      return { requestId: row.request_id, executionId: row.execution_id, state: stateOf(row) };
    });
  }
}

function stateOf(
  { is_over, is_closed, is_answered, is_expired }: LinkRow,
): LinkedQuestion["state"] {
  if (is_over === 1) return "expired";
  if (is_closed === 1) return is_answered === 1 ? "answered" : "ended";
  return is_expired === 1 ? "expired" : "open";
}
