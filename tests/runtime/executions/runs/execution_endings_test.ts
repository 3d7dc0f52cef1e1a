import assert from "node:assert/strict";
import { EventBus } from "../../../../runtime/events/bus.ts";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { Announcer } from "../../../../runtime/executions/runs/announcer.ts";
import { ExecutionEndings } from "../../../../runtime/executions/runs/execution_endings.ts";
import type { HumanRequest } from "../../../../runtime/executions/human_request.ts";
import { ExecutionNotFound } from "../../../../runtime/executions/refusals.ts";
import { PendingStarts } from "../../../../runtime/executions/runs/pending_starts.ts";
import { NO_TELEMETRY } from "../../../../runtime/executions/telemetry.ts";
import { StorageUnavailable } from "../../../../runtime/storage/database.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore, type TestStore } from "../../../support/test_store.ts";

/** Ends over a store; who would go on, and who is said to have ended, is only noted. */
function openEnds(store: TestStore) {
  const [clock, serviceLog] = [new TestClock(), new LogLines()];
  const events = new EventBus(serviceLog);
  const told: number[] = [];
  events.subscribe((event) => {
    if (event.type === "execution_completed") told.push(event.executionId);
  });
  const goneOn: number[] = [];
  const ends = new ExecutionEndings({
    ...{ ...store, clock, serviceLog },
    announcer: new Announcer({ ...store, events, serviceLog, telemetry: NO_TELEMETRY }),
    active: new ActiveRuns(clock),
    starts: new PendingStarts(),
    async read(id) {
      const stored = await store.executions.readExecution(id);
      if (stored === undefined) throw new ExecutionNotFound();
      return stored;
    },
    resume: ({ execution }) => Promise.resolve(void goneOn.push(execution.id)),
  });
  return { ends, told, goneOn, serviceLog };
}

/** Two executions, the first of which waits for the second, which waits for a person. */
async function acceptFamily(store: TestStore): Promise<{ parent: number; child: number }> {
  const { id: parent } = await store.accept();
  const { id: child } = await store.accept({
    parentExecutionId: parent,
    parentPosition: 2,
    trigger: "agent",
  });
  const request: HumanRequest = {
    executionId: child,
    requestId: "r",
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
  await store.requests.openRequest(child, { request, durationMs: 0, frames: [] });
  await store.families.waitForChild(parent, { childId: child, durationMs: 0, frames: () => [] });
  return { parent, child };
}

async function stateOf({ executions }: TestStore, id: number): Promise<string | undefined> {
  const stored = await executions.readExecution(id);
  return stored && `${stored.execution.status}: ${stored.execution.error}`;
}

Deno.test("ExecutionEndings.abortWaiting() ends what waits, once, and lets go on who waited only for it", async () => {
  using store = openTestStore();
  const { ends, told, goneOn } = openEnds(store);
  const { parent, child } = await acceptFamily(store);
  assert.equal(await ends.abortWaiting(child, "Enough"), true);
  assert.equal(await ends.abortWaiting(child, "Again"), false);
  assert.equal(await stateOf(store, child), "aborted: Enough");
  assert.equal(await stateOf(store, parent), "running: null");
  assert.deepEqual([told, goneOn], [[child], [parent]]);
});

Deno.test("ExecutionEndings.abort() ends what waits with all below it, and leaves what has ended, or runs elsewhere", async () => {
  using store = openTestStore();
  const { ends, told, goneOn } = openEnds(store);
  const { parent, child } = await acceptFamily(store);
  assert.equal(await ends.abort(parent, "Cancelled by user"), "aborted");
  assert.equal(await stateOf(store, parent), "aborted: Cancelled by user");
  assert.equal(await stateOf(store, child), "aborted: Cancelled by user");
  assert.deepEqual([told, goneOn], [[parent, child], []]);
  assert.equal(await ends.abort(child, "Again"), "aborted");
  const { id } = await store.accept();
  assert.equal(await ends.abort(id, "Again"), "running");
  assert.equal(await stateOf(store, id), "running: null");
  await assert.rejects(ends.abort(99, "Again"), ExecutionNotFound);
});

Deno.test("ExecutionEndings.end() ends what nobody wants any more, and tells why", async () => {
  using store = openTestStore();
  const { ends, told } = openEnds(store);
  const { parent, child } = await acceptFamily(store);
  store.db.run("UPDATE executions SET status = 'running' WHERE id = ?", parent);
  const { execution } = (await store.executions.readExecution(parent))!;
  await ends.end(execution, { outcome: { status: "success", error: null, output: "Done." } });
  assert.equal(await stateOf(store, parent), "success: null");
  assert.equal(
    await stateOf(store, child),
    "aborted: Aborted: the execution that delegated to it has ended",
  );
  assert.deepEqual(told, [parent, child]);
});

Deno.test("ExecutionEndings.end() logs an end that cannot be stored, and leaves the execution as it is", async () => {
  using store = openTestStore();
  store.endings.finishExecution = () => Promise.reject(new StorageUnavailable("No room."));
  const { ends, told, serviceLog } = openEnds(store);
  const execution = await store.accept();
  await ends.end(execution, { outcome: { status: "error", error: "x", output: null } });
  assert.equal(await stateOf(store, execution.id), "running: null");
  assert.deepEqual(told, []);
  assert.match(JSON.stringify(serviceLog.lines), /The end of an execution could not be stored/);
});
