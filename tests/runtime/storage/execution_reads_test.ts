import assert from "node:assert/strict";
import { Journal } from "../../../runtime/executions/record/journal.ts";
import { TestClock } from "../../support/test_clock.ts";
import { openTestStore } from "../../support/test_store.ts";

Deno.test("SqliteExecutionReads.listExecutions() filters by status and agent, newest first, in pages", async () => {
  using store = openTestStore();
  const ids: number[] = [];
  for (let n = 0; n < 6; n++) {
    const execution = await store.accept({ agentId: n % 2 ? "odd" : "even" });
    ids.push(execution.id);
    if (n > 3) {
      await new Journal(execution, { ...store, clock: new TestClock() })
        .finish({ status: "error", error: "x", output: null });
    }
  }
  const list = async (filter: object) =>
    (await store.executions.listExecutions({ limit: 10, offset: 0, ...filter }))
      .map(({ id }) => id);
  assert.deepEqual(await list({}), ids.toReversed());
  assert.deepEqual(await list({ agentId: "odd" }), [ids[5], ids[3], ids[1]]);
  assert.deepEqual(await list({ statuses: ["error"] }), [ids[5], ids[4]]);
  assert.deepEqual(
    await list({ statuses: ["error", "running"], agentId: "even", limit: 2 }),
    [
      ids[4],
      ids[2],
    ],
  );
  assert.deepEqual(await list({ offset: 4 }), [ids[1], ids[0]]);
  assert.equal(await store.executions.countByStatus(["running"]), 4);
});

Deno.test("SqliteExecutionReads.listExecutions() takes a status that is named without end as named once", async () => {
  using store = openTestStore();
  const { id } = await store.accept();
  const statuses = Array<"running">(40_000).fill("running");
  const found = await store.executions.listExecutions({ statuses, limit: 10, offset: 0 });
  assert.deepEqual(found.map((one) => one.id), [id]);
});

Deno.test("SqliteExecutionReads.listExecutions() filters by parent: its direct children only", async () => {
  using store = openTestStore();
  const child = async (parentExecutionId: number, parentPosition: number) =>
    (await store.accept({ trigger: "agent", parentExecutionId, parentPosition })).id;
  const { id: one } = await store.accept();
  const { id: other } = await store.accept();
  const first = await child(one, 1);
  const grandchild = await child(first, 1);
  const stranger = await child(other, 1);
  const second = await child(one, 2);
  const below = async (parentId: number) =>
    (await store.executions.listExecutions({ parentId, limit: 10, offset: 0 })).map(({ id }) => id);
  assert.deepEqual(await below(one), [second, first]);
  assert.deepEqual(await below(other), [stranger]);
  assert.deepEqual(await below(first), [grandchild]);
  assert.deepEqual(await below(grandchild), []);
});

Deno.test("SqliteExecutionReads.newestByAgent() gives the execution that was accepted last, whatever its trigger", async () => {
  using store = openTestStore();
  const parentExecutionId = (await store.accept()).id;
  const newest = async () => (await store.executions.newestByAgent(["a", "never"])).get("a")?.id;
  assert.equal(await newest(), undefined);
  for (
    const changes of [
      { trigger: "manual" },
      { trigger: "agent", parentExecutionId, parentPosition: 1 },
      { trigger: "schedule" },
      { trigger: "chat", sessionId: "s" },
      { trigger: "watch", startedAt: 1 },
    ] as const
  ) {
    const { id } = await store.accept({ agentId: "a", ...changes });
    assert.equal(await newest(), id, changes.trigger);
  }
});
