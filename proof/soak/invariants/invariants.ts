// Lists the invariants of a database, which hold after any history of the service, and checks them. Only reads the
// database.
import { DatabaseSync } from "node:sqlite";
import { CONVERSATIONS } from "./conversations.ts";
import { ENDS } from "./ends.ts";
import { FAMILIES, WHOLE_FILE } from "./families.ts";
import { FIGURES } from "./figures.ts";
import { type BrokenRow, type Circumstances, type Invariant, rowsOf } from "./invariant.ts";
import { REQUESTS } from "./requests.ts";
import { TRIGGERS } from "./triggers.ts";

export type { BrokenRow, Circumstances } from "./invariant.ts";

/** All invariants. The name of each is a sentence that states the rule. */
export const INVARIANTS: readonly Invariant[] = [
  ...ENDS,
  ...FIGURES,
  ...CONVERSATIONS,
  ...REQUESTS,
  ...FAMILIES,
  ...TRIGGERS,
];

/** The name of a broken invariant with the rows that break it. */
export interface Violation {
  invariant: string;
  rows: BrokenRow[];
}

/** Returns the broken invariants of the database at `path`, from one snapshot. Opens the file read-only. */
export function findViolations(
  path: string,
  circumstances: Circumstances,
  invariants = INVARIANTS,
): Violation[] {
  return readSnapshot(path, (db) => {
    const rows = rowsOf(db);
    const damage = WHOLE_FILE.find(rows, circumstances);
    // Results of other queries on a damaged file would be meaningless.
    if (damage.length > 0) return [{ invariant: WHOLE_FILE.name, rows: damage }];
    return invariants.map(({ name, find }) => ({
      invariant: name,
      rows: find(rows, circumstances),
    }))
      .filter((violation) => violation.rows.length > 0);
  });
}

/** Calls `read` with a snapshot of the database, while a service may continue to write. */
export function readSnapshot<T>(path: string, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    db.exec("BEGIN");
    return read(db);
  } finally {
    db.close();
  }
}
