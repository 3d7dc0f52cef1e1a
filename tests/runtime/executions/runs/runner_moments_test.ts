// Tests runs that are cancelled or stopped at certain moments before a question.
import assert from "node:assert/strict";
import type { RunSpec } from "../../../../runtime/executions/runs/acceptance.ts";
import { StorageUnavailable } from "../../../../runtime/database/database.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { settle } from "../../../support/test_clock.ts";
import { onSqlite } from "../../../support/test_database.ts";
import { openTestRunner, questionIn, type TestRunner } from "../../../support/test_runner.ts";
import type { TestStore } from "../../../support/test_store.ts";
import { until } from "../../../support/until.ts";

const MANUAL: RunSpec = { trigger: "manual", sessionId: null, request: { args: [] } };

/** Calls `meet` after a change is stored and before its caller continues. */
function afterChange<
  Name extends string,
  Store extends Record<Name, (...args: never[]) => Promise<unknown>>,
>(store: Store, name: Name, happen: (...args: Parameters<Store[Name]>) => Promise<void>): void {
  type Change = (...args: Parameters<Store[Name]>) => Promise<unknown>;
  const change = store[name].bind(store) as Change;
  const observed: Change = async (...args) => {
    const result = await change(...args);
    await happen(...args);
    return result;
  };
  Object.assign(store, { [name]: observed });
}

/** Collects the statuses of executions whose end is published. */
function completionsOf({ events }: TestRunner): string[] {
  const statuses: string[] = [];
  events.subscribe((event) => {
    if (event.type === "execution_completed") statuses.push(event.status);
  });
  return statuses;
}

/** The moments of a run before its question: after each stored change, and after the published event. */
const MEETINGS = {
  opening: ({ store }, meet) => afterChange(store.conversations, "beginConversation", meet),
  reply: ({ store }, meet) => afterChange(store.conversations, "recordReply", meet),
  question: ({ store }, meet) => afterChange(store.requests, "openRequest", meet),
  news: ({ events }, meet) =>
    void events.subscribe(({ type }) => {
      if (type === "execution_waiting") void meet();
    }),
} as const satisfies Record<string, (on: TestRunner, meet: () => Promise<void>) => void>;

Deno.test("Runner.cancel() ends a run at any moment before its question", async () => {
  for (const [where, arrange] of Object.entries(MEETINGS)) {
    await using on = await openTestRunner([createTestAgent()]);
    const { runner, store } = on;
    const outcomes: string[] = [];
    arrange(on, async () => void outcomes.push(await runner.cancel(1)));
    const completions = completionsOf(on);
    const { id } = await runner.start(createTestAgent(), MANUAL);
    await until(() => completions.length > 0, "the end");
    const { execution } = (await store.executions.readExecution(id))!;
    assert.deepEqual([execution.status, execution.error], ["aborted", "Cancelled by user"], where);
    assert.equal(await store.requests.readOpenRequest(id), undefined);
    await until(() => outcomes.length > 0, "the outcome");
    // After the question is published, the execution waits and can be ended at once.
    assert.deepEqual(outcomes, [where === "news" ? "aborted" : "cancelling"], where);
    assert.deepEqual(completions, ["aborted"], where);
  }
});

/** The moments of a run while its end is being stored. */
const ENDS = {
  "before it is": (store, meet) => {
    const finish = store.endings.finishExecution.bind(store.endings);
    store.endings.finishExecution = async (...args) => {
      await meet();
      return await finish(...args);
    };
  },
  "after it was refused once": (store, meet) => {
    const finish = store.endings.finishExecution.bind(store.endings);
    let tries = 0;
    store.endings.finishExecution = async (id, ending) => {
      if (tries++ > 0) return await finish(id, ending);
      ending.insteadOf?.(null);
      await meet();
      throw new StorageUnavailable("No room.");
    };
  },
  "after it is": (store, meet) => afterChange(store.endings, "finishExecution", meet),
} as const satisfies Record<string, (store: TestStore, meet: () => Promise<void>) => void>;

// Only with SQLite, because PostgreSQL may get the statements of the end and of the cancel at the same time.
onSqlite.test("Runner.cancel() returns the resulting status while a run's end is being stored", async () => {
  for (const [when, arrange] of Object.entries(ENDS)) {
    await using on = await openTestRunner([createTestAgent()]);
    const { runner, store, clock } = on;
    const { id } = await runner.start(createTestAgent(), MANUAL);
    const requestId = await questionIn(store, id);
    const told: string[] = [];
    const completions = completionsOf(on);
    arrange(store, async () => void told.push(await runner.cancel(id)));
    await runner.respond(id, { requestId, answer: { text: "yes" } });
    await until(async () => {
      await clock.advance(500);
      return completions.length > 0;
    }, "the end");
    const { execution } = (await store.executions.readExecution(id))!;
    const isCancelled = when !== "after it is";
    assert.deepEqual(told, [isCancelled ? "cancelling" : "success"], when);
    assert.equal(execution.status, isCancelled ? "aborted" : "success", when);
    assert.equal(execution.error, isCancelled ? "Cancelled by user" : null, when);
    assert.deepEqual(completions, [execution.status], when);
  }
});

// Only with SQLite, because with PostgreSQL the answer comes from another machine.
onSqlite.test("Runner.cancel() ends a run whose question is being stored, even after a fast answer", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { runner, store } = on;
  afterChange(store.requests, "openRequest", async (id, { request: { requestId } }) => {
    // The stored execution waits, but its run does not know this yet.
    assert.equal(await runner.cancel(id), "cancelling");
    await runner.respond(id, { requestId, answer: { text: "yes" } });
  });
  // Delays the run that the answer starts, so that the cancelled run ends first.
  afterChange(store.conversations, "finishCall", settle);
  const completions = completionsOf(on);
  const { id } = await runner.start(createTestAgent(), MANUAL);
  await until(() => completions.length > 0, "the end");
  const { execution } = (await store.executions.readExecution(id))!;
  assert.deepEqual([execution.status, execution.error], ["aborted", "Cancelled by user"]);
  assert.deepEqual(completions, ["aborted"]);
});

Deno.test("Runner.stop() leaves no execution running at any moment before its question", async () => {
  const left: Record<string, string> = {};
  for (const [where, arrange] of Object.entries(MEETINGS)) {
    await using on = await openTestRunner([createTestAgent()]);
    const { runner, store } = on;
    const stopped = Promise.withResolvers<unknown>();
    arrange(on, async () => {
      // The stop waits for the run, and the run continues only after this point.
      const settled = settle();
      stopped.resolve(Promise.all([runner.stop({ graceMs: 0 }), settled]));
      await settled;
    });
    const { id } = await runner.start(createTestAgent(), MANUAL);
    await stopped.promise;
    const { execution } = (await store.executions.readExecution(id))!;
    const question = await store.requests.readOpenRequest(id);
    if (execution.status === "waiting") assert.ok(question, where);
    else assert.equal(execution.error, "Aborted: service stopped", where);
    left[where] = execution.status;
  }
  assert.deepEqual(left, {
    opening: "aborted",
    reply: "aborted",
    // After the next start the question can be answered.
    question: "waiting",
    news: "waiting",
  });
});

Deno.test("Runner.stop() right after the last reply stores the reply for the next start", async () => {
  const stopped = Promise.withResolvers<void>();
  const agent = { ...createTestAgent(), onRestart: "resume" as const };
  await using on = await openTestRunner([agent], {
    async costOf(_agent, { message }) {
      if (message.content === "Done.") {
        on.runner.stop({ graceMs: 0 }).then(stopped.resolve, stopped.reject);
        await settle();
      }
      return 0.25;
    },
  });
  const { runner, store } = on;
  const { id } = await runner.start(agent, MANUAL);
  await runner.respond(id, { requestId: await questionIn(store, id), answer: { text: "yes" } });
  await stopped.promise;
  const { execution } = (await store.executions.readExecution(id))!;
  assert.deepEqual([execution.status, execution.costUsd], ["running", 0.5]);
  const { messages } = await store.conversations.readConversation(id);
  assert.equal(messages.at(-1)?.message.content, "Done.");
  const page = { after: 0, limit: 100, maxBytes: 100_000 };
  const { frames } = await store.frames.readFrames(id, page);
  const events = frames.map(({ event }) => event);
  assert.equal(events.filter((event) => event === "ai").length, 1);
});
