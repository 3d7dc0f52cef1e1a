// What an end means for those above and below, where no run is needed: the agent of all of them is gone.
import assert from "node:assert/strict";
import type { HumanRequest } from "../../../../runtime/executions/human_request.ts";
import { StorageUnavailable } from "../../../../runtime/storage/database.ts";
import { openTestRunner, type TestRunner } from "../../../support/test_runner.ts";
import type { TestStore } from "../../../support/test_store.ts";

/** A runner, and notes of who continued and of who ended, in their order. */
async function openNoted(): Promise<TestRunner & { told: string[] }> {
  const on = await openTestRunner([]);
  const told: string[] = [];
  on.events.subscribe((event) => {
    if (event.type === "execution_resumed") told.push(`${event.executionId} continues`);
    if (event.type === "execution_completed") told.push(`${event.executionId} ${event.status}`);
  });
  return { ...on, told };
}

function requestOf(executionId: number): HumanRequest {
  return {
    executionId,
    requestId: `r${executionId}`,
    kind: "input",
    position: 3,
    toolName: "ask_user",
    toolArgs: {},
    message: "Which?",
    options: null,
    multi: false,
    createdAt: 0,
    expiresAt: null,
  };
}

/** Two executions that wait for a person; the second was delegated by the first. */
async function acceptFamily(store: TestStore): Promise<{ parent: number; child: number }> {
  const { id: parent } = await store.accept();
  const { id: child } = await store.accept({
    parentExecutionId: parent,
    parentPosition: 2,
    trigger: "agent",
  });
  for (const id of [child, parent]) {
    await store.requests.openRequest(id, { request: requestOf(id), durationMs: 0, frames: [] });
  }
  return { parent, child };
}

async function stateOf({ executions }: TestStore, id: number): Promise<string | undefined> {
  const stored = await executions.readExecution(id);
  return stored && `${stored.execution.status}: ${stored.execution.error}`;
}

Deno.test("Runner ends what nobody wants any more, and tells why", async () => {
  await using on = await openNoted();
  const { parent, child } = await acceptFamily(on.store);
  await on.runner.respond(parent, { requestId: `r${parent}`, answer: { text: "That one." } });
  assert.equal(
    await stateOf(on.store, child),
    "aborted: Aborted: the execution that delegated to it has ended",
  );
  assert.deepEqual(on.told, [`${parent} continues`, `${parent} error`, `${child} aborted`]);
});

Deno.test("Runner logs an end that cannot be stored, and leaves the execution as it is", async () => {
  await using on = await openNoted();
  on.store.endings.finishExecution = () => Promise.reject(new StorageUnavailable("No room."));
  const { parent } = await acceptFamily(on.store);
  await on.runner.respond(parent, { requestId: `r${parent}`, answer: { text: "That one." } });
  assert.equal(await stateOf(on.store, parent), "running: null");
  assert.deepEqual(on.told, [`${parent} continues`]);
  assert.match(JSON.stringify(on.serviceLog.lines), /The end of an execution could not be stored/);
});
