import assert from "node:assert/strict";
import { SystemClock } from "../../../../base/clock.ts";
import { MINUTE_MS } from "../../../../base/time_units.ts";
import type { Budget } from "../../../../runtime/executions/budget.ts";
import { SqlBudgetStore } from "../../../../runtime/executions/budget/budget_store.ts";
import { openInstance } from "../../../../runtime/database/instances.ts";
import type { SqlValue } from "../../../../runtime/database/operation.ts";
import { onPostgres } from "../../../support/test_database.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { interrupt } from "../../storage/between_statements.ts";

const DAY: Budget = {
  scope: "agent:daily",
  unit: "usd",
  period: "day",
  start: 0,
  end: 86_400_000,
  limit: 100,
  agentId: "daily",
};

const call = (nanos: number, overrides: { agentId?: string; at?: number } = {}) => ({
  agentId: "daily",
  executionId: null,
  rootId: null,
  at: 1_000,
  most: { nanos, tokens: 1 },
  budgets: [DAY],
  ...overrides,
});

/** Reserves an amount and returns the reservation's id. */
async function reserve(budgets: SqlBudgetStore, nanos: number, at = 1_000): Promise<number> {
  const reserved = await budgets.reserve(call(nanos, { at }));
  assert.ok("id" in reserved);
  return reserved.id;
}

Deno.test("SqlBudgetStore reserves amounts that fit and refuses others", async () => {
  await using store = await openTestStore();
  const { budgets } = store;
  const first = await reserve(budgets, 60);
  const held = await budgets.reserve(call(50));
  assert.ok("refused" in held && held.isTemporary && !held.isFirst);
  assert.deepEqual([held.refused.used, held.refused.reserved, held.need], [0, 60, 50]);
  assert.deepEqual(await budgets.settle(first, { nanos: 55, tokens: 1 }, [DAY]), []);
  const refused = await budgets.reserve(call(50));
  assert.ok("refused" in refused && !refused.isTemporary && refused.isFirst);
  // The warning comes once, and the limit is exact to a billionth of a dollar.
  assert.ok("refused" in await budgets.reserve(call(46)));
  assert.ok("id" in await budgets.reserve(call(45)));
  // A call without cost fits, even if the limit was lowered below the spending.
  const lowered = { budgets: [{ ...DAY, limit: 10 }] };
  assert.ok("refused" in await budgets.reserve({ ...call(1), ...lowered }));
  assert.ok("id" in await budgets.reserve({ ...call(0), ...lowered }));
});

Deno.test("SqlBudgetStore books the reservations of a dead instance once", async () => {
  await using store = await openTestStore({ instanceId: "new" });
  const dead = new SqlBudgetStore(store.db, "dead");
  const left = await reserve(dead, 30);
  const own = await reserve(store.budgets, 20);
  assert.equal(await store.budgets.settleAbandoned(1_000), 1);
  assert.equal(await store.budgets.settleAbandoned(1_000), 0);
  // The instance is alive after all: its reservation is already booked, so its settlement changes nothing.
  await dead.settle(left, { nanos: 5, tokens: 1 }, []);
  await store.budgets.settle(own, { nanos: 4, tokens: 1 }, []);
  const [state] = await store.budgets.readBudgets([DAY]);
  assert.deepEqual([state?.used, state?.reserved], [34, 0]);
});

Deno.test("SqlBudgetStore books settled reservations in full if a crash of the database restored them", async () => {
  await using store = await openTestStore();
  const settled = await reserve(store.budgets, 30);
  const going = await reserve(store.budgets, 20);
  const [row] = await store.all<Record<string, SqlValue>>(
    "SELECT * FROM reservations WHERE id = ?",
    settled,
  );
  assert.ok(row !== undefined);
  await store.budgets.settle(settled, { nanos: 5, tokens: 1 }, []);
  // The state of a server that lost its last transactions in a crash.
  await store.run("DELETE FROM spending");
  const [names, values] = [Object.keys(row).join(", "), Object.values(row)];
  const holes = values.map(() => "?").join(", ");
  await store.run(`INSERT INTO reservations (${names}) VALUES (${holes})`, ...values);
  assert.equal(await store.budgets.settleAbandoned(30_000), 0);
  assert.equal(await store.budgets.settleAbandoned(120_000), 1);
  await store.budgets.settle(going, { nanos: 4, tokens: 1 }, []);
  const [state] = await store.budgets.readBudgets([DAY]);
  assert.deepEqual([state?.used, state?.reserved], [34, 0]);
});

onPostgres.test("SqlBudgetStore books a dead node's reservations soon, and a dead command's after an hour", async () => {
  await using store = await openTestStore({ instanceId: "living" });
  const now = new SystemClock().now();
  const at = (minutesAgo: number) => call(10, { at: now - minutesAgo * MINUTE_MS });
  await store.db.change("power", () => openInstance({ id: "dead", pid: 1, startedAt: 0 }));
  await new SqlBudgetStore(store.db, "dead").reserve(at(0));
  await new SqlBudgetStore(store.db, "a person's").reserve(at(50));
  assert.equal(await store.budgets.settleAbandoned(now), 1);
  await new SqlBudgetStore(store.db, "another person's").reserve(at(70));
  assert.equal(await store.budgets.settleAbandoned(now), 1);
});

onPostgres.test("SqlBudgetStore counts a reservation that another machine settles at the same time", async () => {
  await using store = await openTestStore();
  const others = new SqlBudgetStore(store.db, "other");
  for (let after = 0;; after++) {
    const agentId = `agent ${after}`;
    const budgets = [{ ...DAY, scope: `agent:${agentId}`, agentId }];
    const spent = await others.reserve({ ...call(60, { agentId }), budgets });
    assert.ok("id" in spent);
    const outcome = await interrupt(store.db, {
      begin: (db) => new SqlBudgetStore(db, "own").reserve({ ...call(60, { agentId }), budgets }),
      after,
      meanwhile: () => others.settle(spent.id, { nanos: 60, tokens: 1 }, []),
    });
    if (outcome === undefined) break;
    assert.ok("refused" in outcome.returned, `after ${after} statements`);
  }
});

Deno.test("SqlBudgetStore counts a reservation before midnight on the previous day", async () => {
  await using store = await openTestStore();
  const midnight = 86_400_000;
  const reserved = await reserve(store.budgets, 30, midnight - 1);
  const next = { ...DAY, start: midnight, end: 2 * midnight };
  assert.equal((await store.budgets.readBudgets([next]))[0]?.reserved, 0);
  await store.budgets.settle(reserved, { nanos: 30, tokens: 1 }, [next]);
  const [before, after] = await store.budgets.readBudgets([DAY, next]);
  assert.deepEqual([before?.used, after?.used], [30, 0]);
});

Deno.test("SqlBudgetStore separates agents with similar ids", async () => {
  await using store = await openTestStore();
  const other = { ...DAY, scope: "agent:daily:2", agentId: "daily:2" };
  await store.budgets.reserve({ ...call(70, { agentId: "daily:2" }), budgets: [other] });
  const [own, theirs] = await store.budgets.readBudgets([DAY, other]);
  assert.deepEqual([own?.reserved, theirs?.reserved], [0, 70]);
});
