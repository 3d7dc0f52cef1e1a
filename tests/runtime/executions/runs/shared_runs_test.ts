// Tests machines that share a database and stop at a bad moment: another machine continues the run.
import assert from "node:assert/strict";
import type { Agent } from "../../../../runtime/agents/agent.ts";
import type {
  ClaimedExecution,
  SharedRuns,
  Worker,
} from "../../../../runtime/executions/runs/shared_runs.ts";
import { LeaseLost, StorageUnavailable } from "../../../../runtime/database/database.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { settle } from "../../../support/test_clock.ts";
import { openTestRunner, type TestRunner } from "../../../support/test_runner.ts";

/** Opens a machine with one delivered execution. `rested` resolves when the machine releases the execution. */
async function openMachine(agent: Agent): Promise<
  TestRunner & { deliver(): Promise<void>; rested: Promise<void>; asked: string[] }
> {
  let worker: Worker | undefined;
  let taken: ClaimedExecution | undefined;
  const rested = Promise.withResolvers<void>();
  const asked: string[] = [];
  const shared: SharedRuns = {
    work: (given) => worker = given,
    wake: () => {},
    claim: () => Promise.resolve(taken),
    release: () => Promise.resolve(rested.resolve()),
    requestCancel: (id, error) => Promise.resolve(asked.push(`${id}: ${error}`) > 0),
    whenChanged: () => Promise.resolve(),
    enqueueUnclaimed: () => Promise.resolve(),
    stopClaiming: () => Promise.resolve(),
  };
  const on = await openTestRunner([agent], { shared });
  await on.runner.recover();
  const deliver = async () => {
    const execution = await on.store.accept();
    taken = {
      subject: { execution, request: { args: [] } },
      cancelled: null,
      isRedelivered: false,
      ranMs: 0,
    };
    worker?.accept({ jobId: "job", executionId: execution.id, attempt: 0, isDelegated: false });
  };
  return { ...on, deliver, rested: rested.promise, asked };
}

/** Asserts that a stop now leaves the run's status unchanged and logs no error. */
async function expectLeft(
  agent: Agent,
  arrange: (on: TestRunner, stop: () => Promise<void>) => void,
): Promise<void> {
  await using on = await openMachine(agent);
  const { runner, store } = on;
  const stopped = Promise.withResolvers<unknown>();
  arrange(on, async () => {
    // The stop waits for the run, and the run continues only after this point.
    stopped.resolve(Promise.all([runner.stop({ graceMs: 0 })]));
    await settle();
  });
  await on.deliver();
  await stopped.promise;
  await on.rested;
  const rows = await store.all<{ status: string }>("SELECT status FROM executions");
  assert.deepEqual(rows.map(({ status }) => status), ["running"]);
  assert.deepEqual(on.serviceLog.lines.filter(({ level }) => level === "error"), []);
}

Deno.test("Runner leaves a run to another node if the service stops during a database outage", async () => {
  await expectLeft(createTestAgent(), ({ store }, stop) => {
    const fail = () => Promise.reject(new StorageUnavailable("The connection broke off."));
    store.conversations.recordReply = async () => {
      Object.assign(store.executions, { readExecution: fail });
      await stop();
      return await fail();
    };
  });
});

Deno.test("Runner stores nothing about a run that another machine has claimed", async () => {
  await expectLeft(createTestAgent({ onRestart: "resume" }), ({ store }, stop) => {
    const record = store.conversations.recordReply.bind(store.conversations);
    store.conversations.recordReply = async (...args) => {
      const recorded = await record(...args);
      await stop();
      return recorded;
    };
    store.endings.restExecution = (id) => Promise.reject(new LeaseLost(`Execution ${id}`));
  });
});

Deno.test("Runner.cancel() stores the cancel of a run on its own node before returning", async () => {
  await using on = await openMachine(createTestAgent());
  const { runner, store } = on;
  const told = Promise.withResolvers<string>();
  const begin = store.conversations.beginConversation.bind(store.conversations);
  store.conversations.beginConversation = async (...args) => {
    told.resolve(runner.cancel(1));
    await told.promise;
    return await begin(...args);
  };
  await on.deliver();
  assert.equal(await told.promise, "cancelling");
  assert.deepEqual(on.asked, ["1: Cancelled by user"]);
  await on.rested;
});
