// Counts the SQL statements of a test on SQLite.
import assert from "node:assert/strict";
import { DatabaseSync, StatementSync } from "node:sqlite";

/** The numbers of SQL statements and of transactions. */
export interface StatementCounts {
  statements: number;
  transactions: number;
}

/** Counts the statements of all databases of this process until the disposal. */
export function countStatements(): { counts: StatementCounts; [Symbol.dispose](): void } {
  const counts: StatementCounts = { statements: 0, transactions: 0 };
  const observed = new DisposableStack();
  const observe = (
    prototype: object,
    name: string,
    textOf: (on: object, first: unknown) => unknown,
  ) => {
    const original: unknown = Reflect.get(prototype, name);
    assert.ok(typeof original === "function");
    Reflect.set(prototype, name, function (this: object, ...args: unknown[]): unknown {
      counts.statements++;
      if (String(textOf(this, args[0])).startsWith("BEGIN")) counts.transactions++;
      return Reflect.apply(original, this, args);
    });
    observed.defer(() => void Reflect.set(prototype, name, original));
  };
  for (const name of ["run", "get", "all"]) {
    observe(StatementSync.prototype, name, (on) => Reflect.get(on, "sourceSQL"));
  }
  observe(DatabaseSync.prototype, "exec", (_on, text) => text);
  return { counts, [Symbol.dispose]: () => observed.dispose() };
}
