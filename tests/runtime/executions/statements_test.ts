// The SQL statements and transactions of runs. A change that raises a number must also change the number in this file.
import assert from "node:assert/strict";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { onSqlite } from "../../support/test_database.ts";
import { settle, TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { COUNTED_RUNS, prepareRun } from "./counted_runs.ts";

/**
 * The maximum number of attempts per run. The least number counts, because background work of the service may add
 * statements.
 */
const ATTEMPTS = 5;

interface Counts {
  statements: number;
  transactions: number;
}

/** Counts the statements of all databases of this process until the disposal. */
function countStatements(): { counts: Counts; [Symbol.dispose](): void } {
  const counts: Counts = { statements: 0, transactions: 0 };
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

for (const one of COUNTED_RUNS) {
  onSqlite.test(`${one.name} makes ${one.expected.sqlite.statements} SQL statements`, async () => {
    await using place = await createTestWorkspace();
    await using prepared = await prepareRun(place, one);
    await using runtime = await place.open({ clock: new TestClock(Date.now()) });
    // The first run prepares statements and stores the terms of its calls.
    await prepared.runOnce(runtime);
    await settle();
    let least: Counts | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      using counted = countStatements();
      await prepared.runOnce(runtime);
      await settle();
      if (least === undefined || counted.counts.statements < least.statements) {
        least = counted.counts;
      }
      if (least.statements <= one.expected.sqlite.statements) break;
    }
    assert.deepEqual(least, one.expected.sqlite);
  });
}
