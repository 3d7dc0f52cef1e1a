import assert from "node:assert/strict";
import { DatabaseAway } from "../../../../runtime/storage/database.ts";
import type { JobQueue } from "../../../../runtime/storage/postgres/job_queue.ts";
import type { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { SharedExecutions } from "../../../../runtime/storage/postgres/shared_executions.ts";

Deno.test("SharedExecutions.rest() asks nothing of a database that does not answer: a stop would wait for it once more", async () => {
  const forgotten: string[] = [];
  const executions = new SharedExecutions({
    // Whatever is asked of it fails the test.
    database: {} as PostgresDatabase,
    queue: { forget: ({ jobId }) => void forgotten.push(jobId) } as JobQueue,
    instanceId: "here",
    epochs: new Map(),
    labelsOf: () => [],
    tell: () => {},
    problem: () => "Cannot use postgres://host: it does not answer.",
  });
  const delivery = { jobId: "job", executionId: 1, attempt: 0, isDelegated: false };
  await assert.rejects(executions.rest(delivery), DatabaseAway);
  assert.deepEqual(forgotten, ["job"]);
});
