import assert from "node:assert/strict";
import { AwaitedAgents } from "../../../../runtime/executions/runs/awaited_agents.ts";
import type { StoredRun } from "../../../../runtime/executions/record/execution_reads.ts";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { HumanAnswers } from "../../../../runtime/executions/runs/human_answers.ts";
import { AnswerMisfit, NotWaiting } from "../../../../runtime/executions/human_request.ts";
import { ExecutionNotFound } from "../../../../runtime/executions/refusals.ts";
import { RequestExpiry } from "../../../../runtime/executions/runs/request_expiry.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { openTestRunner, type TestRunner } from "../../../support/test_runner.ts";
import { until } from "../../../support/until.ts";

/** Starts a run and waits until it asks. */
async function ask(
  { runner, store }: TestRunner,
  options: { confirmTimeoutMs: number | null },
): Promise<{ id: number; requestId: string }> {
  const agent = createTestAgent({ onPending: "parallel", ...options });
  const spec = { trigger: "manual" as const, sessionId: null, request: { args: [] } };
  const { id } = await runner.start(agent, spec);
  await until(
    async () => (await store.executions.readExecution(id))?.execution.status === "waiting",
    "the question",
  );
  const { requestId } = (await store.requests.readOpenRequest(id))!;
  return { id, requestId };
}

/** Answers over the runner's store; who would go on is only noted. */
function openAnswers({ store, clock }: TestRunner): { answers: HumanAnswers; goneOn: StoredRun[] } {
  const goneOn: StoredRun[] = [];
  const answers = new HumanAnswers({
    ...store,
    clock,
    serviceLog: new LogLines(),
    agents: new AwaitedAgents({
      findAgent: (id) => createTestAgent({ id }),
      whyUnreadable: () => undefined,
    }),
    active: new ActiveRuns(clock),
    openTools: () => Promise.reject(new TypeError("No arguments were given")),
    runs: { resume: (subject) => Promise.resolve(void goneOn.push(subject)) },
  });
  return { answers, goneOn };
}

Deno.test("HumanAnswers.give() lets the execution go on, once, and refuses what answers nothing", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { answers, goneOn } = openAnswers(on);
  const states = () => goneOn.map(({ execution: { id, status } }) => ({ id, status }));
  const { id, requestId } = await ask(on, { confirmTimeoutMs: null });
  const answer = { text: "Well." };
  await assert.rejects(answers.give(99, { requestId, answer }), ExecutionNotFound);
  await assert.rejects(
    answers.give(id, { requestId: "another", answer }),
    new NotWaiting("This answer is to an older request: ask for the pending one again"),
  );
  await assert.rejects(answers.give(id, { requestId, answer: { approved: true } }), AnswerMisfit);
  assert.deepEqual(states(), []);
  await answers.give(id, { requestId, answer });
  assert.deepEqual(states(), [{ id, status: "running" }]);
  await assert.rejects(
    answers.give(id, { requestId, answer }),
    new NotWaiting("This execution does not wait for an answer"),
  );
  assert.equal(states().length, 1);
});

Deno.test("RequestExpiry keeps the deadlines of questions that were asked before and after it started", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { answers, goneOn } = openAnswers(on);
  await using expiry = new RequestExpiry({
    ...{ ...on.store, clock: on.clock, events: on.events },
    ...{ answers, serviceLog: new LogLines() },
  });
  const late = await ask(on, { confirmTimeoutMs: 40_000 });
  expiry.start();
  await on.clock.advance(0);
  const soon = await ask(on, { confirmTimeoutMs: 10_000 });
  await on.clock.advance(10_000);
  const ids = () => goneOn.map(({ execution }) => execution.id);
  await until(() => ids().length === 1, "the first deadline");
  assert.deepEqual(ids(), [soon.id]);
  await on.clock.advance(30_000);
  await until(() => ids().length === 2, "the second deadline");
  assert.deepEqual(ids(), [soon.id, late.id]);
  const { answers: given } = await on.store.conversations.readConversation(late.id);
  assert.deepEqual([...given.values()].flat().map(({ answer }) => answer), [{ expired: true }]);
});
