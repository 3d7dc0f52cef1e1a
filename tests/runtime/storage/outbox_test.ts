// Messages are stored with what they tell of: both, or neither.
import assert from "node:assert/strict";
import { executionOf, OutboxWorld } from "../notify/outbox_world.ts";
import { SqlSlotStore } from "../../../runtime/storage/slots.ts";

const kindsIn = ({ db }: OutboxWorld) =>
  db.all<{ kind: string }>("SELECT kind FROM outbox ORDER BY seq").map(({ kind }) => kind);

async function accept(world: OutboxWorld): Promise<number> {
  const accepted = await world.stores.acceptances.acceptExecution({
    agentId: "daily",
    displayName: "Daily",
    trigger: "manual",
    parentExecutionId: null,
    parentPosition: null,
    depth: 0,
    sessionId: null,
    request: { args: [] },
    model: "demo/echo",
    startedAt: 0,
  }, { unlessWaiting: false, frames: () => [] });
  assert.ok("execution" in accepted);
  return accepted.execution.id;
}

const request = (executionId: number) => ({
  requestId: "r",
  executionId,
  position: 1,
  kind: "confirm" as const,
  message: "May it?",
  options: null,
  multi: false,
  toolName: "file_write",
  toolArgs: {},
  createdAt: 0,
  expiresAt: null,
});

const ending = {
  from: "running" as const,
  status: "error" as const,
  error: "It broke",
  output: null,
  finishedAt: 0,
  durationMs: 0,
  frames: () => [],
};

const slot = (outcome: "missed" | "skipped", scheduledFor: number) => ({
  agentId: "daily",
  scheduledFor,
  lastSlot: scheduledFor,
  outcome,
  reason: "the service was busy",
  executionId: null,
  count: 1,
});

Deno.test("a pause, an end and a missed slot are stored with their messages", async () => {
  await using world = new OutboxWorld();
  const id = await accept(world);
  await world.stores.requests.openRequest(id, { request: request(id), durationMs: 0, frames: [] });
  assert.deepEqual(kindsIn(world), ["waiting"]);
  const other = await accept(world);
  await world.stores.endings.finishExecution(other, ending);
  await new SqlSlotStore(world.db, world.outbox).recordSlots([
    slot("skipped", 1),
    slot("missed", 2),
    // It has its outcome.
    slot("missed", 2),
  ]);
  assert.deepEqual(kindsIn(world), ["waiting", "error", "missed"]);
});

Deno.test("where the change fails there is no message, and where there is none there is no change", async () => {
  await using world = new OutboxWorld();
  const id = await accept(world);
  const broken = () => {
    throw new Error("no frame");
  };
  await assert.rejects(world.stores.endings.finishExecution(id, { ...ending, frames: broken }));
  assert.deepEqual(kindsIn(world), []);
  // Of two ends one counts, and is told.
  await world.stores.endings.finishExecution(id, ending);
  assert.equal(await world.stores.endings.finishExecution(id, ending), undefined);
  assert.deepEqual(kindsIn(world), ["error"]);
  world.db.run("DROP TABLE outbox");
  const other = await accept(world);
  await assert.rejects(world.stores.endings.finishExecution(other, ending));
  const row = world.db.get<{ status: string }>("SELECT status FROM executions WHERE id = ?", other);
  assert.equal(row?.status, "running");
});

Deno.test("a message that cannot be written keeps nothing from happening", async () => {
  await using world = new OutboxWorld();
  const id = await accept(world);
  world.agents.get = () => {
    throw new TypeError("a bug");
  };
  await world.stores.endings.finishExecution(id, ending);
  assert.deepEqual(kindsIn(world), []);
  assert.match(world.log.lines[0]?.message ?? "", /a bug/);
});

Deno.test("what was sent is forgotten after a day", async () => {
  await using world = new OutboxWorld();
  world.tell({ type: "ended", execution: executionOf(1), output: null });
  await world.settle();
  world.outbox.purge(world.clock.now());
  assert.deepEqual(kindsIn(world), ["error"]);
  world.outbox.purge(world.clock.now() + 1);
  assert.deepEqual(kindsIn(world), []);
});
