// What must hold of the database of a service, whatever it went through. Pure: reads rows, and knows no process.
import { DatabaseSync } from "node:sqlite";
import { CONVERSATIONS } from "./conversations.ts";
import { ENDS } from "./ends.ts";
import { FAMILIES, WHOLE_FILE } from "./families.ts";
import { FIGURES } from "./figures.ts";
import { type BrokenRow, type Circumstances, type Invariant, rowsOf } from "./invariant.ts";
import { REQUESTS } from "./requests.ts";
import { TRIGGERS } from "./triggers.ts";

export type { BrokenRow, Circumstances } from "./invariant.ts";

/** All of them; each name is a sentence about what holds. */
export const INVARIANTS: readonly Invariant[] = [
  ...ENDS,
  ...FIGURES,
  ...CONVERSATIONS,
  ...REQUESTS,
  ...FAMILIES,
  ...TRIGGERS,
];

/** An invariant that does not hold, and the rows that say so. */
export interface Violation {
  invariant: string;
  rows: BrokenRow[];
}

/** Every invariant that the database at `path` breaks, seen at one moment. The file is opened read-only. */
export function findViolations(
  path: string,
  circumstances: Circumstances,
  invariants = INVARIANTS,
): Violation[] {
  return readSnapshot(path, (db) => {
    const rows = rowsOf(db);
    const damage = WHOLE_FILE.find(rows, circumstances);
    // Whatever else a damaged file says is worth nothing.
    if (damage.length > 0) return [{ invariant: WHOLE_FILE.name, rows: damage }];
    return invariants.map(({ name, find }) => ({
      invariant: name,
      rows: find(rows, circumstances),
    }))
      .filter((violation) => violation.rows.length > 0);
  });
}

/** Reads a database as it is at one moment, while a service may go on writing. */
export function readSnapshot<T>(path: string, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    db.exec("BEGIN");
    return read(db);
  } finally {
    db.close();
  }
}
