// The table of the terms of model calls. The terms of a call are its settings and the tools offered to the model. They are
// stored as JSON texts by their digests.
import {
  type CallTerms,
  type DigestedText,
  type PackedTerms,
  unpackTerms,
} from "../../executions/record/call_terms.ts";
import { all, get, insertRows, type Operation, run } from "../../database/operation.ts";

/** SQL: the stored text is an object with the settings of a call. Its list of tools is a separate stored text. */
const IS_OBJECT = "body LIKE '{%'";

/**
 * Stores the settings and tools of a model call in the open transaction. Call it after the message that refers to them is
 * stored.
 */
export function* storeTerms({ tools, terms }: PackedTerms): Operation<void> {
  // Most texts are already stored and need not be sent to the database.
  const stored = yield* all<{ digest: string }>(
    "SELECT digest FROM call_terms WHERE digest IN (?, ?)",
    tools.digest,
    terms.digest,
  );
  const missing = [tools, terms].filter(({ digest }) =>
    !stored.some((one) => one.digest === digest)
  );
  yield* insertRows(
    "INSERT INTO call_terms (digest, body)",
    missing.map(({ digest, body }) => [digest, body]),
  );
}

/** Returns the settings and tools of an execution's model calls, by the position of the message that refers to them. */
export function* selectTerms(executionId: number): Operation<Map<number, CallTerms>> {
  // A read-only process may open a database of an older version, in which this table does not exist.
  const isThere = yield* get({
    sqlite: "SELECT 1 FROM pragma_table_info('messages') WHERE name = 'terms'",
    postgres: "SELECT 1",
  });
  if (isThere === undefined) return new Map();
  const rows = yield* all<{ position: number; terms: string }>(
    "SELECT position, terms FROM messages WHERE execution_id = ? AND terms IS NOT NULL ORDER BY position",
    executionId,
  );
  const named = "SELECT terms FROM messages WHERE execution_id = ?1 AND terms IS NOT NULL";
  const texts = yield* all<DigestedText>(
    `SELECT digest, body FROM call_terms WHERE digest IN (${named}) OR digest IN (` +
      `SELECT body ->> '$.tools' FROM call_terms WHERE ${IS_OBJECT} AND digest IN (${named}))`,
    executionId,
  );
  const bodies = new Map(texts.map(({ digest, body }) => [digest, body]));
  const known = new Map<string, CallTerms | undefined>();
  const found = new Map<number, CallTerms>();
  for (const { position, terms: digest } of rows) {
    const terms = known.getOrInsertComputed(
      digest,
      () => unpackTerms(digest, (one) => bodies.get(one)),
    );
    if (terms !== undefined) found.set(position, terms);
  }
  return found;
}

/** Removes the settings and tools of model calls to which no message refers. Runs in the open transaction. */
export function* removeUnusedTerms(): Operation<void> {
  // The lock waits for open transactions that have stored a message, so that the terms of their messages count as used. A
  // transaction that stores a message after the removal finds its terms missing, and stores them again.
  yield* get({ sqlite: "SELECT 1", postgres: "LOCK TABLE messages IN SHARE MODE" });
  yield* run(
    "DELETE FROM call_terms WHERE digest NOT IN (" +
      "SELECT used.terms FROM (SELECT DISTINCT terms FROM messages WHERE terms IS NOT NULL) AS used " +
      `UNION SELECT body ->> '$.tools' FROM call_terms WHERE ${IS_OBJECT} ` +
      "AND digest IN (SELECT terms FROM messages WHERE terms IS NOT NULL))",
  );
}
