import assert from "node:assert/strict";
import { selectUsage } from "../../../../runtime/storage/executions/usage.ts";
import { openTestStore } from "../../../support/test_store.ts";

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
  const usage = await store.db.read(() => selectUsage(10 * QUARTER_MS));
  assert.deepEqual(
    usage.map((one) => [
      ...[one.start / QUARTER_MS, one.agentId, one.executions, one.succeeded, one.failed],
      ...[one.inputTokens, one.outputTokens, one.totalTokens, one.costUsd],
    ]),
    [
      [10, "a", 2, 1, 0, 7, 3, 10, 0.25],
      [10, "b", 1, 0, 1, 7, 3, 10, null],
      [11, "a", 1, 0, 0, 0, 0, 0, null],
    ],
  );
});
