import assert from "node:assert/strict";
import { isFinal } from "../../../../runtime/executions/states.ts";
import type { ExecutionTrigger } from "../../../../runtime/vocabulary/trigger_kinds.ts";
import type { RunSpec } from "../../../../runtime/executions/runs/acceptance.ts";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { IdempotencyKeyReused } from "../../../../runtime/executions/refusals.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import {
  openTestRunner,
  questionIn,
  statusIn,
  type TestRunner,
} from "../../../support/test_runner.ts";
import { until } from "../../../support/until.ts";
import { onSqlite } from "../../../support/test_database.ts";
import { EventBus } from "../../../../runtime/events/bus.ts";
import type { HumanRequest } from "../../../../runtime/executions/human_request.ts";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { RequestExpiry } from "../../../../runtime/executions/runs/request_expiry.ts";
import { TestClock } from "../../../support/test_clock.ts";

interface Start {
  trigger: ExecutionTrigger;
  sessionId: string | null;
}

const MANUAL: RunSpec = { trigger: "manual", sessionId: null, request: { args: [] } };

/** Starts a run and waits for its question. Returns the execution. */
async function ask(
  { runner, store }: TestRunner,
  agentId: string,
  start: Start = { trigger: "manual", sessionId: null },
): Promise<number> {
  const agent = createTestAgent({ id: agentId, onPending: "parallel" });
  const { id } = await runner.start(agent, { ...start, request: { args: [] } });
  await until(async () => await statusIn(store, id) === "waiting", "the question");
  return id;
}

Deno.test("Runner.start() applies on_pending to each pair of a waiting run and a new run", async () => {
  const starts: Record<string, Start> = {
    "chat A": { trigger: "chat", sessionId: "A" },
    "chat B": { trigger: "chat", sessionId: "B" },
    manual: { trigger: "manual", sessionId: null },
    schedule: { trigger: "schedule", sessionId: null },
    watch: { trigger: "watch", sessionId: null },
    delegated: { trigger: "agent", sessionId: null },
  };
  const names = Object.keys(starts);
  // The rows are the kinds of the waiting run, the columns those of the new run in the same order. x: the new run is
  // refused.
  const held = ["x.....", ".x....", "..xxx.", "..xxx.", "..xxx.", "......"];
  await using on = await openTestRunner([]);
  const { runner } = on;
  for (const mode of ["skip", "parallel"] as const) {
    for (const [row, waits] of names.entries()) {
      // Each row and mode has its own agent, so that no other run of the agent waits.
      const agent = createTestAgent({ id: `${mode}-${row}`, onPending: mode });
      await ask(on, agent.id, starts[waits]);
      for (const [column, joins] of names.entries()) {
        const spec = { ...starts[joins]!, request: { args: [] } };
        const outcome = await runner.start(agent, spec).then(
          async ({ id }) => {
            await until(async () => await statusIn(on.store, id) === "waiting", "the question");
            await runner.cancel(id);
            await until(async () => await statusIn(on.store, id) === "aborted", "its end");
            return "runs";
          },
          (error: Error) => error.message,
        );
        const isHeld = mode === "skip" && held[row]?.[column] === "x";
        const expected = isHeld
          ? `Agent '${agent.id}' has a session waiting for a response`
          : "runs";
        assert.equal(outcome, expected, `${mode}: ${joins} while ${waits} waits`);
      }
    }
  }
});

Deno.test("Runner.cancel() ends a run while it is being accepted or answered", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { runner, store } = on;
  const starting = runner.start(createTestAgent(), MANUAL);
  assert.equal(await runner.cancel(1), "cancelling");
  await starting;
  await until(async () => await statusIn(store, 1) === "aborted", "the end");

  const id = await ask(on, "tester");
  const requestId = await questionIn(store, id);
  const answering = runner.respond(id, { requestId, answer: { text: "yes" } });
  assert.equal(await runner.cancel(id), "cancelling");
  await answering;
  await until(async () => await statusIn(store, id) === "aborted", "the end");
});

onSqlite.test("Runner.cancel() of a waiting execution rejects when its end cannot be stored", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { runner, store } = on;
  const id = await ask(on, "tester");
  store.sqlite().run(
    "CREATE TRIGGER full BEFORE UPDATE ON executions BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  await assert.rejects(runner.cancel(id), /disk full/);
  store.sqlite().run("DROP TRIGGER full");
  assert.equal(await runner.cancel(id), "aborted");
});

Deno.test("Runner.start() returns the first run for a repeated idempotency key", async () => {
  const agent = createTestAgent({ onPending: "parallel" });
  await using on = await openTestRunner([agent]);
  const { runner, store } = on;
  const request = { args: ["a"], message: "m" };
  const spec: RunSpec = { trigger: "chat", sessionId: "s", idempotencyKey: "k", request };
  const { id } = await runner.start(agent, spec);
  assert.equal((await runner.start(agent, structuredClone(spec))).id, id);
  await until(async () => await statusIn(on.store, id) === "waiting", "the question");
  assert.equal((await runner.start(agent, spec)).id, id);
  const others: Partial<RunSpec>[] = [
    { sessionId: "t" },
    { trigger: "manual", sessionId: null },
    { request: { args: ["b"], message: "m" } },
    { request: { args: ["a"] } },
    { request: { args: ["a"], message: "m", context: "c" } },
  ];
  for (const other of others) {
    await assert.rejects(runner.start(agent, { ...spec, ...other }), IdempotencyKeyReused);
  }
  const another = createTestAgent({ id: "another" });
  await assert.rejects(runner.start(another, spec), IdempotencyKeyReused);
  const all = await store.executions.listExecutions({ limit: 10, offset: 0 });
  assert.deepEqual(all.map((one) => one.id), [id]);
  assert.notEqual((await runner.start(agent, { ...spec, idempotencyKey: "l" })).id, id);
});

/** Creates a waiting child whose parent has ended, which is possible after a kill of the service. */
async function leaveForsaken({ runner, store, clock }: TestRunner): Promise<number> {
  const parent = await store.accept();
  const { id } = await runner.start(createTestAgent(), {
    ...MANUAL,
    trigger: "agent",
    parent: { executionId: parent.id, position: 2 },
    depth: 1,
  });
  await until(async () => await statusIn(store, id) === "waiting", "the question");
  await new Journal(parent, { ...store, clock })
    .finish({ status: "aborted", error: "Cancelled by user", output: null });
  return id;
}

Deno.test("Runner.recover() and Runner.respond() end a waiting execution whose parent has ended", async () => {
  for (const by of ["recover", "respond"]) {
    await using on = await openTestRunner([createTestAgent()]);
    const { runner, store } = on;
    const id = await leaveForsaken(on);
    const requestId = await questionIn(store, id);
    if (by === "recover") await runner.recover();
    else await runner.respond(id, { requestId, answer: { text: "yes" } });
    await until(async () => isFinal(await statusIn(on.store, id)), "the end");
    const { execution } = (await store.executions.readExecution(id))!;
    const error = "Aborted: the execution that delegated to it has ended";
    assert.deepEqual([execution.status, execution.error], ["aborted", error], by);
  }
});

Deno.test("Runner logs the lack of a sandbox with the execution's id and agent", async () => {
  const sandboxGap = "Custom tools run without a sandbox: it is raining. To get one, wait.";
  await using on = await openTestRunner([createTestAgent({ id: "one" })], { sandboxGap });
  const execution = await ask(on, "one");
  assert.deepEqual(
    on.serviceLog.lines.filter(({ message }) => message === sandboxGap)
      .map(({ level, fields }) => ({ level, fields })),
    [{ level: "warn", fields: { execution, agent: "one" } }],
  );
});

function requestDue(requestId: string, expiresAt: number): HumanRequest {
  return {
    executionId: 1,
    requestId,
    kind: "input",
    position: 3,
    toolName: "ask_user",
    toolArgs: {},
    message: "Which?",
    options: null,
    multi: false,
    createdAt: 0,
    expiresAt,
  };
}

Deno.test("RequestExpiry waits between attempts while an expiry cannot be stored", async () => {
  const clock = new TestClock();
  const due = requestDue("r", clock.now());
  let isOpen = true;
  const requests = { readNextExpiry: () => Promise.resolve(isOpen ? due : undefined) };
  const complaints: string[] = [];
  let tries = 0;
  const log = { write: (_level: string, message: string) => void complaints.push(message) };
  const give = () => {
    tries++;
    if (tries < 3) return Promise.reject(new Error("database or disk is full"));
    isOpen = false;
    return Promise.resolve(undefined);
  };
  const events = new EventBus(log);
  const active = new ActiveRuns(clock);
  const ports = { requests, events, clock, log, active, answers: { give } };
  await using expiry = new RequestExpiry(ports);
  expiry.start();
  await clock.advance(0);
  assert.equal(tries, 1);
  await clock.advance(4_999);
  assert.equal(tries, 1);
  await clock.advance(10_000);
  assert.deepEqual([tries, complaints.length], [3, 2]);
});
