// Tests that a message and its event are stored in one transaction.
import assert from "node:assert/strict";
import { executionOf, OutboxWorld } from "./outbox_world.ts";
import { SqlOutbox } from "../../../runtime/notify/outbox.ts";
import { SqlSlotStore } from "../../../runtime/triggers/schedule/slots.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { onPostgres, openTestDatabase } from "../../support/test_database.ts";
import { NEW_EXECUTION } from "../../support/test_store.ts";
import { interrupt } from "../storage/between_statements.ts";
import { ask, ending } from "../storage/stored_situations.ts";

const kindsIn = ({ db }: OutboxWorld) =>
  db.all<{ kind: string }>("SELECT kind FROM outbox ORDER BY seq").map(({ kind }) => kind);

async function accept(world: OutboxWorld): Promise<number> {
  const accepted = await world.stores.acceptances.acceptExecution(
    { ...NEW_EXECUTION, agentId: "daily", displayName: "Daily" },
    { unlessWaiting: false, frames: () => [] },
  );
  assert.ok("execution" in accepted);
  return accepted.execution.id;
}

const BROKEN = { ...ending("running"), status: "error", error: "It broke" } as const;

const slot = (outcome: "missed" | "skipped", scheduledFor: number) => ({
  agentId: "daily",
  scheduledFor,
  lastSlot: scheduledFor,
  outcome,
  reason: "the service was busy",
  executionId: null,
  count: 1,
});

Deno.test("pauses, ends and missed slots are stored with their messages", async () => {
  await using world = new OutboxWorld();
  const id = await accept(world);
  await ask(world.stores, id);
  assert.deepEqual(kindsIn(world), ["waiting"]);
  const other = await accept(world);
  await world.stores.endings.finishExecution(other, BROKEN);
  await new SqlSlotStore(world.db, world.outbox).recordSlots([
    slot("skipped", 1),
    slot("missed", 2),
    // The outcome of this due time is already stored.
    slot("missed", 2),
  ]);
  assert.deepEqual(kindsIn(world), ["waiting", "error", "missed"]);
});

Deno.test("a failed change stores no message, and a failed message stores no change", async () => {
  await using world = new OutboxWorld();
  const id = await accept(world);
  const broken = () => {
    throw new Error("no frame");
  };
  await assert.rejects(world.stores.endings.finishExecution(id, { ...BROKEN, frames: broken }));
  assert.deepEqual(kindsIn(world), []);
  // Only the first of two ends of an execution counts.
  await world.stores.endings.finishExecution(id, BROKEN);
  assert.equal(await world.stores.endings.finishExecution(id, BROKEN), undefined);
  assert.deepEqual(kindsIn(world), ["error"]);
  world.db.run("DROP TABLE outbox");
  const other = await accept(world);
  await assert.rejects(world.stores.endings.finishExecution(other, BROKEN));
  const row = world.db.get<{ status: string }>("SELECT status FROM executions WHERE id = ?", other);
  assert.equal(row?.status, "running");
});

Deno.test("an event is stored even if its message cannot be created", async () => {
  await using world = new OutboxWorld();
  const id = await accept(world);
  world.agents.get = () => {
    throw new TypeError("a bug");
  };
  await world.stores.endings.finishExecution(id, BROKEN);
  assert.deepEqual(kindsIn(world), []);
  assert.match(world.log.lines[0]?.message ?? "", /a bug/);
});

Deno.test("sent messages are deleted after a day", async () => {
  await using world = new OutboxWorld();
  world.tell({ type: "ended", execution: executionOf(1), output: null });
  await world.settle();
  world.outbox.purge(world.clock.now());
  assert.deepEqual(kindsIn(world), ["error"]);
  world.outbox.purge(world.clock.now() + 1);
  assert.deepEqual(kindsIn(world), []);
});

/** Opens the outbox of one node. The outbox folds similar messages of an agent into one. */
const foldingOutbox = (db: Database) =>
  new SqlOutbox(db, {
    draftMessages: (event) => {
      if (event.type !== "stopped") throw new TypeError("Not a message of this test");
      const { agentId } = event;
      const common = { requestId: null, executionId: null, title: "Stopped", text: "" };
      return [{ ...common, channel: agentId, kind: "loop", agentId, isFoldable: true }];
    },
    now: () => 1_000,
    stored: () => {},
    failed: (error) => {
      throw error;
    },
  });

const STOPPED = { type: "stopped", displayName: "", reason: "" } as const;

/** Returns the number of folded events for each message that can be claimed from a channel. */
async function countsOf(db: Database, channel: string): Promise<number[]> {
  const outbox = foldingOutbox(db);
  const counts: number[] = [];
  for (;;) {
    const message = await outbox.claim({ except: [], kinds: null, now: 10_000_000 });
    if (message === undefined) return counts;
    if (message.channel === channel) counts.push(message.count);
  }
}

onPostgres.test("concurrent messages of two nodes about an agent are combined and counted", async () => {
  await using db = await openTestDatabase();
  for (const isWaiting of [false, true]) {
    for (let after = 0;; after++) {
      const event = { ...STOPPED, agentId: `${isWaiting} ${after}` };
      const tell = (db: Database) => foldingOutbox(db).announce(event);
      if (isWaiting) await tell(db);
      const outcome = await interrupt(db, { begin: tell, after, meanwhile: () => tell(db) });
      if (outcome === undefined) break;
      const expected = [isWaiting ? 3 : 2];
      assert.deepEqual(await countsOf(db, event.agentId), expected, `after ${after}`);
    }
  }
});

onPostgres.test("an event during a message's claim is counted in that message or a new one", async () => {
  await using db = await openTestDatabase();
  for (let after = 0;; after++) {
    const event = { ...STOPPED, agentId: `${after}` };
    await foldingOutbox(db).announce(event);
    const outcome = await interrupt(db, {
      begin: (db) => foldingOutbox(db).claim({ except: [], kinds: null, now: 1_000 }),
      after,
      meanwhile: () => foldingOutbox(db).announce(event),
    });
    if (outcome === undefined) break;
    const { returned: sent } = outcome;
    assert.ok(sent !== undefined);
    await foldingOutbox(db).close(sent.id, { outcome: "delivered", at: 1_000 });
    const left = await countsOf(db, event.agentId);
    assert.equal([sent.count, ...left].reduce((sum, count) => sum + count), 2, `after ${after}`);
  }
});
