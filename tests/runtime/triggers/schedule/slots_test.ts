import assert from "node:assert/strict";
import {
  insertSlot,
  isSlotTaken,
  SqlSlotStore,
} from "../../../../runtime/triggers/schedule/slots.ts";
import type { Slot } from "../../../../runtime/triggers/schedule/slot_store.ts";
import { openTestDatabase } from "../../../support/test_database.ts";
import { openTestStore } from "../../../support/test_store.ts";

const ALL = { limit: 500, offset: 0 };

async function open() {
  const resources = new AsyncDisposableStack();
  const db = resources.use(await openTestDatabase());
  const store = new SqlSlotStore(db);
  return {
    db,
    store,
    insert: (...args: Parameters<typeof insertSlot>) =>
      db.change("power", () => insertSlot(...args)),
    /** Returns the times of an agent's stored slots, newest first. */
    times: async (agentId = "daily", page = ALL) =>
      (await store.listSlots(agentId, page)).map(({ scheduledFor }) => scheduledFor),
    isTaken: (at: number, agentId = "daily") => db.read(() => isSlotTaken(agentId, at)),
    schedules: async () => (await store.readSchedules()).map((one) => ({ ...one })),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function slot(scheduledFor: number, changes: Partial<Slot> = {}): Slot {
  const row = { agentId: "daily", scheduledFor, executionId: null, count: 1, reason: null };
  return { ...row, outcome: "run", ...changes };
}

const state = (changes: object = {}) => ({
  agentId: "daily",
  fingerprint: "every 10",
  anchor: 100,
  lastSlot: null,
  ...changes,
});

Deno.test("SqlSlotStore.beginSchedule() keeps a schedule that another node has already started", async () => {
  await using world = await open();
  const { store, schedules } = world;
  const first = await store.beginSchedule(state({ anchor: 100 }));
  assert.equal(first.anchor, 100);
  // Both nodes start the schedule without knowing of the other.
  assert.equal((await store.beginSchedule(state({ anchor: 150 }))).anchor, 100);
  // A node that knows the stored schedule may replace it, after its clock was corrected.
  assert.equal((await store.beginSchedule(state({ anchor: 90 }), first)).anchor, 90);
  const other = state({ fingerprint: "every 20", anchor: 200 });
  assert.deepEqual(await store.beginSchedule(other, first), other);
  assert.deepEqual(await schedules(), [other]);
});

Deno.test("SqlSlotStore.beginSchedule() with an earlier last due time keeps later due times that ran", async () => {
  await using world = await open();
  const { store, insert, schedules } = world;
  const before = await store.beginSchedule(state());
  await insert(slot(110, { outcome: "skipped", count: 4 }), 140);
  await insert(slot(150));
  await insert(slot(160, { outcome: "missed" }));
  await insert(slot(170));
  const moved = state({ lastSlot: 125 });
  const begun = await store.beginSchedule(moved, before, { keepsRuns: true, countSince: () => 2 });
  assert.deepEqual(begun, { ...moved, fired: [150, 170] });
  assert.deepEqual(await schedules(), [begun]);
  const rows = await store.listSlots("daily", ALL);
  assert.deepEqual(rows.map((one) => [one.scheduledFor, one.count]), [[170, 1], [150, 1], [
    110,
    2,
  ]]);
  // A skipped slot is added to the previous row, not to a later one.
  await insert(slot(130, { outcome: "skipped" }));
  assert.equal((await store.listSlots("daily", ALL))[2]?.count, 3);
  assert.deepEqual((await store.beginSchedule(moved)).fired, [150, 170]);
});

Deno.test("SqlSlotStore.recordSlots() stores all rows in one transaction", async () => {
  await using world = await open();
  const { store } = world;
  await store.beginSchedule(state());
  const good = { ...slot(110, { outcome: "missed" as const }), lastSlot: 110 };
  const bad = { ...slot(120), executionId: 77, lastSlot: 120 };
  await assert.rejects(store.recordSlots([good, bad]), /foreign key/i);
  assert.deepEqual(await store.listSlots("daily", ALL), []);
  assert.equal((await store.readSchedules())[0]?.lastSlot, null);
});

Deno.test("SqlSlotStore keeps a slot whose execution was removed", async () => {
  await using world = await openTestStore();
  const store = new SqlSlotStore(world.db);
  const { id } = await world.accept();
  await world.db.change("power", () => insertSlot(slot(110, { executionId: id })));
  assert.equal((await store.listSlots("daily", ALL))[0]?.executionId, id);
  await world.run("DELETE FROM executions WHERE id = ?", id);
  assert.deepEqual((await store.listSlots("daily", ALL)).map((one) => ({ ...one })), [slot(110)]);
});

Deno.test("SqlSlotStore.purgeSlots() removes old slots except each agent's newest", async () => {
  await using world = await open();
  const { store, insert, times } = world;
  for (const agentId of ["a", "b", "c"]) {
    for (let at = 1; at <= 10; at++) await insert(slot(at, { agentId }));
  }
  for (let at = 100; at <= 104; at++) await insert(slot(at, { agentId: "b" }));
  assert.equal(await store.purgeSlots({ before: 0, keep: 3 }), 0);
  assert.equal(await store.purgeSlots({ before: 9, keep: 3 }), 7 + 8 + 7);
  assert.deepEqual(await times("a"), [10, 9, 8]);
  assert.deepEqual(await times("b"), [104, 103, 102, 101, 100, 10, 9]);
  assert.equal(await store.purgeSlots({ before: 1_000, keep: 100 }), 0);
});
