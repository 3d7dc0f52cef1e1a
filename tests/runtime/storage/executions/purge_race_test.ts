// Tests that a purge keeps the terms of messages that another node is writing.
import assert from "node:assert/strict";
import { packTerms } from "../../../../runtime/executions/record/call_terms.ts";
import { ForkedStepsGone } from "../../../../runtime/executions/refusals.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { SqlCheckpointStore } from "../../../../runtime/storage/executions/checkpoints.ts";
import { createExecutionStores } from "../../../../runtime/storage/executions/execution_stores.ts";
import { onPostgres } from "../../../support/test_database.ts";
import { NEW_EXECUTION, openTestStore, type TestStore } from "../../../support/test_store.ts";
import { interrupt } from "../between_statements.ts";
import { ending, FRAME, reply, start } from "../stored_situations.ts";

/** Returns terms with this limit of tokens, so that each attempt has different terms. */
const termsOf = (maxTokens: number) => ({
  settings: {
    model: "demo/echo",
    temperature: null,
    maxTokens,
    history: "high" as const,
    customTools: [],
    mcp: [],
  },
  tools: [{ name: `tool_${maxTokens}`, description: "", parameters: {} }],
});

/** Stores a reply that was requested with these terms. */
async function answer(db: Database, id: number, terms: ReturnType<typeof termsOf>): Promise<void> {
  const packed = await packTerms(terms);
  await createExecutionStores(db, "instance-1").conversations.recordReply(id, {
    message: { position: 0, message: { role: "assistant", content: "Yes", toolCalls: [] } },
    terms: { packed, isNew: true },
    calls: [],
    usage: null,
    costUsd: null,
    durationMs: 1,
    frames: () => [FRAME],
  });
}

/** Creates an ended execution with these terms, which the purge removes. */
async function endedWith(store: TestStore, terms: ReturnType<typeof termsOf>): Promise<number> {
  const { id } = await store.accept();
  await answer(store.db, id, terms);
  await store.endings.finishExecution(id, ending("running"));
  return id;
}

const purge = (db: Database) => new SqlCheckpointStore(db).purge({ keepNewest: false });

onPostgres.test("a reply keeps its terms, even if a purge removes all other references meanwhile", async () => {
  await using store = await openTestStore();
  let number = 0;
  for (const isPurgeFirst of [false, true]) {
    for (let after = 0;; after++) {
      const terms = termsOf(number++);
      await endedWith(store, terms);
      const { id } = await store.accept();
      const write = (db: Database) => answer(db, id, terms);
      const [begin, meanwhile] = isPurgeFirst ? [purge, write] : [write, purge];
      const outcome = await interrupt<unknown>(store.db, {
        begin,
        after,
        meanwhile: () => meanwhile(store.db),
      });
      if (outcome === undefined) break;
      const run = await store.recordedRuns.readRecordedRun(id);
      assert.deepEqual(run?.terms.get(0), terms, `${isPurgeFirst} ${after}`);
      await store.endings.finishExecution(id, ending("running"));
      await purge(store.db);
    }
  }
});

onPostgres.test("a fork during a purge has all calls of its copied steps, or is refused", async () => {
  await using store = await openTestStore();
  for (let after = 0;; after++) {
    const { id } = await store.accept();
    await reply(store, id);
    await start(store, id, "read");
    await store.endings.finishExecution(id, ending("running"));
    const outcome = await interrupt(store.db, {
      begin: (db) =>
        createExecutionStores(db, "instance-1").acceptances.acceptExecution(NEW_EXECUTION, {
          unlessWaiting: false,
          frames: () => [FRAME],
          taken: { executionId: id, end: 2, count: 1 },
        }).catch((error) => {
          if (error instanceof ForkedStepsGone) return "refused" as const;
          throw error;
        }),
      after,
      meanwhile: () => purge(store.db),
    });
    if (outcome === undefined) break;
    const { returned: fork } = outcome;
    if (fork === "refused") continue;
    assert.ok("execution" in fork);
    const { calls } = await store.conversations.readConversation(fork.execution.id);
    assert.equal(calls.length, 1, `after ${after}`);
    await store.endings.finishExecution(fork.execution.id, ending("running"));
  }
});
