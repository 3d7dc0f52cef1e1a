// The round trips, SQL statements and transactions of runs on PostgreSQL. A change that raises a number must change it in
// counted_runs.ts.
import assert from "node:assert/strict";
// @ts-types="@types/pg"
import pg from "pg";
import { setTimeout as delay } from "node:timers/promises";
import { createTestPostgres, sharePostgres, withPostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { COUNTED_RUNS, type CountedRun, prepareRun, runOnce } from "./counted_runs.ts";

sharePostgres();

type Counts = CountedRun["postgres"];

/**
 * The maximum number of counted runs. In some of them, the service also polls or sends heartbeats: on a busy machine in most
 * of them.
 */
const ATTEMPTS = 40;
/** The time without statements after which the work of a run is complete, in milliseconds. */
const IDLE_MS = 100;

/** Counts the statements of all connections of this process until the disposal. */
function countStatements(): { counts: Counts; isBusy(): boolean; [Symbol.dispose](): void } {
  const counts: Counts = { roundTrips: 0, statements: 0, transactions: 0 };
  /** The number of answers that each connection waits for. A round trip lasts until all of them have arrived. */
  const awaited = new Map<object, number>();
  const observed = new DisposableStack();
  const prototype = pg.Connection.prototype;
  const observe = (name: string, act: (on: object, first: unknown, second: unknown) => void) => {
    const original: unknown = Reflect.get(prototype, name);
    const isOwn = Object.hasOwn(prototype, name);
    assert.ok(typeof original === "function");
    Reflect.set(prototype, name, function (this: object, ...args: unknown[]): unknown {
      act(this, args[0], args[1]);
      return Reflect.apply(original, this, args);
    });
    observed.defer(() => {
      if (isOwn) Reflect.set(prototype, name, original);
      else Reflect.deleteProperty(prototype, name);
    });
  };
  const expectAnswer = (on: object) => {
    const before = awaited.get(on) ?? 0;
    if (before === 0) counts.roundTrips++;
    awaited.set(on, before + 1);
  };
  observe("query", expectAnswer);
  observe("sync", expectAnswer);
  observe("emit", (on, event, message) => {
    if (event === "readyForQuery") awaited.set(on, Math.max(0, (awaited.get(on) ?? 0) - 1));
    if (event !== "commandComplete") return;
    counts.statements++;
    if (Reflect.get(Object(message), "text") === "BEGIN") counts.transactions++;
  });
  return {
    counts,
    isBusy: () => awaited.values().some((count) => count > 0),
    [Symbol.dispose]: () => observed.dispose(),
  };
}

/** Runs the agent and returns the counts when no statement was sent for IDLE_MS. */
async function count(run: () => Promise<void>): Promise<Counts> {
  using counted = countStatements();
  await run();
  for (let seen = -1; counted.isBusy() || seen !== counted.counts.statements;) {
    seen = counted.counts.statements;
    await delay(IDLE_MS);
  }
  return { ...counted.counts };
}

withPostgres.test("PostgreSQL: runs make as many round trips, statements and transactions as expected", async () => {
  await using database = await createTestPostgres();
  await using place = await createTestWorkspace({
    shell: { INKLING_DATABASE_URL: database.address },
  });
  for (const one of COUNTED_RUNS) await prepareRun(place, one);
  await using runtime = await place.open({ clock: new TestClock(Date.now()) });
  for (const one of COUNTED_RUNS) {
    const run = () => runOnce({ place, runtime }, one);
    // The first run prepares statements and stores the terms of its calls.
    await count(run);
    const counted: Counts[] = [];
    while (!counted.some((counts) => isExpected(counts, one.postgres))) {
      assert.ok(counted.length < ATTEMPTS, `${one.name}: counted ${JSON.stringify(counted)}`);
      counted.push(await count(run));
    }
  }
});

/** Returns true if a run has made the expected statements, or one read less because a notification came early. */
function isExpected(counts: Counts, expected: Counts): boolean {
  const saved = expected.statements - counts.statements;
  return [0, 1].includes(saved) && expected.roundTrips - counts.roundTrips === saved &&
    counts.transactions === expected.transactions;
}
