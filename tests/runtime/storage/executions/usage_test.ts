import assert from "node:assert/strict";
import { selectUsage } from "../../../../runtime/storage/executions/usage.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { SQLITE } from "../../../support/test_database.ts";

const QUARTER_MS = 900_000;

Deno.test("selectUsage() adds up what began in each quarter of an hour, by agent", async () => {
  await using store = await openTestStore();
  const first = await store.accept({ agentId: "a", startedAt: 10 * QUARTER_MS });
  await store.accept({ agentId: "a", startedAt: 10 * QUARTER_MS + 5 });
  const third = await store.accept({ agentId: "b", startedAt: 10 * QUARTER_MS + 5 });
  await store.accept({ agentId: "a", startedAt: 11 * QUARTER_MS });
  await store.accept({ agentId: "a", startedAt: 10 * QUARTER_MS - 1 });
  const end = (id: number, status: string, cost: number | null) =>
    store.run(
      "UPDATE executions SET status = ?, input_tokens = 7, output_tokens = 3, total_tokens = 10, " +
        "cost_usd = ? WHERE id = ?",
      status,
      cost,
      id,
    );
  await end(first.id, "success", 0.25);
  await end(third.id, "timeout", null);
  const zero = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const ten = { inputTokens: 7, outputTokens: 3, totalTokens: 10 };
  assert.deepEqual(await store.db.read(() => selectUsage(10 * QUARTER_MS)), [
    {
      start: 10 * QUARTER_MS,
      agentId: "a",
      executions: 2,
      succeeded: 1,
      failed: 0,
      ...ten,
      costUsd: 0.25,
    },
    {
      start: 10 * QUARTER_MS,
      agentId: "b",
      executions: 1,
      succeeded: 0,
      failed: 1,
      ...ten,
      costUsd: null,
    },
    {
      start: 11 * QUARTER_MS,
      agentId: "a",
      executions: 1,
      succeeded: 0,
      failed: 0,
      ...zero,
      costUsd: null,
    },
  ]);
});

Deno.test(
  "selectUsage() and the executions of a parent are found by an index, not by reading all",
  SQLITE,
  async () => {
    await using store = await openTestStore();
    const plan = (sql: string) =>
      store.sqlite().all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .map(({ detail }) => detail).join("; ");
    assert.match(
      plan(
        "SELECT started_at / 9 AS s, sum(cost_usd) FROM executions WHERE started_at >= 5 GROUP BY s",
      ),
      /USING INDEX executions_by_start/,
    );
    assert.match(
      plan("SELECT * FROM executions WHERE parent_execution_id = 5 ORDER BY id DESC LIMIT 50"),
      /USING INDEX executions_by_parent/,
    );
  },
);

Deno.test("listExecutions() gives the executions that one delegated to", async () => {
  await using store = await openTestStore();
  const parent = await store.accept();
  const child = (parentPosition: number) =>
    store.accept({ parentExecutionId: parent.id, parentPosition, trigger: "agent" });
  const ids = [(await child(1)).id, (await child(2)).id];
  await store.accept();
  const found = await store.executions.listExecutions({
    parentId: parent.id,
    limit: 10,
    offset: 0,
  });
  assert.deepEqual(found.map(({ id }) => id), ids.toReversed());
});
