// The terms of model calls as rows: JSON texts by their digests.
import {
  type CallTerms,
  type DigestedText,
  type PackedTerms,
  unpackTerms,
} from "../../executions/record/call_terms.ts";
import type { Database } from "../database.ts";

/** Stores terms as part of the transaction that is open; returns what a message names them by. */
export function keepTerms(db: Database, terms: PackedTerms | undefined): string | null {
  if (terms === undefined) return null;
  keepText(db, terms.tools);
  keepText(db, terms.terms);
  return terms.terms.digest;
}

/** By the place of its message: the terms of each call of an execution, as far as they were kept. */
export function selectTerms(db: Database, executionId: number): Map<number, CallTerms> {
  // A database that only older versions have written to is not brought up to date by who only reads it.
  const isThere = db.get("SELECT 1 FROM pragma_table_info('messages') WHERE name = 'terms'");
  if (isThere === undefined) return new Map();
  const rows = db.all<{ position: number; terms: string }>(
    "SELECT position, terms FROM messages WHERE execution_id = ? AND terms IS NOT NULL ORDER BY position",
    executionId,
  );
  const known = new Map<string, CallTerms | undefined>();
  const found = new Map<number, CallTerms>();
  for (const { position, terms: digest } of rows) {
    const terms = known.getOrInsertComputed(digest, () => unpackTerms(digest, textOf));
    if (terms !== undefined) found.set(position, terms);
  }
  return found;

  function textOf(digest: string): string | undefined {
    return db.get<{ body: string }>("SELECT body FROM call_terms WHERE digest = ?", digest)?.body;
  }
}

/** Removes the terms that no message names any longer, as part of the transaction that is open. */
export function removeUnusedTerms(db: Database): void {
  db.run(
    "DELETE FROM call_terms WHERE digest NOT IN (" +
      "SELECT used.terms FROM (SELECT DISTINCT terms FROM messages WHERE terms IS NOT NULL) AS used " +
      "UNION SELECT body ->> '$.tools' FROM call_terms WHERE json_type(body) = 'object' " +
      "AND digest IN (SELECT terms FROM messages WHERE terms IS NOT NULL))",
  );
}

function keepText(db: Database, { digest, body }: DigestedText): void {
  // Most are there already: their text need not be passed on.
  if (db.get("SELECT 1 FROM call_terms WHERE digest = ?", digest) !== undefined) return;
  db.run("INSERT INTO call_terms (digest, body) VALUES (?, ?)", digest, body);
}
