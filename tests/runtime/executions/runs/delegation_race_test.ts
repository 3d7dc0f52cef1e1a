// Tests concurrent changes of parents and children: whatever their order, no execution waits forever and no result is lost.
import assert from "node:assert/strict";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, payloadsOf, toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { answer, ASK, call, delegate, idsOf, statusOf, untilStatus } from "../executions_of.ts";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import type { PlannedCall } from "../../../../runtime/executions/record/conversation.ts";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import {
  delegate as take,
  type DelegationContext,
} from "../../../../runtime/executions/runs/delegation.ts";

Deno.test("a parent does not wait for a child that was answered while other calls ran", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [delegate("middle"), delegate("slow")] }, { say: "All done." }];
  await place.writeScript("lead", steps, "agents: [middle, slow]");
  const script = [{ call: [delegate("asker"), delegate("asker")] }, { say: "Middle is done." }];
  await place.writeScript("middle", script, "agents: [asker]");
  await place.writeScript("asker", [ASK, { say: "Said {result}", delay_ms: 45_000 }]);
  await place.writeScript("slow", [{ say: "Slow.", delay_ms: 5_000 }]);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const lead = await runtime.run("lead", {});
  await until(async () => (await idsOf(runtime, "asker")).length === 2, "two askers");
  const [middle = 0] = await idsOf(runtime, "middle");
  await untilStatus(runtime, middle, "waiting");
  const [one = 0, two = 0] = await idsOf(runtime, "asker");
  await answer(runtime, two, { text: "red" });
  assert.equal(await statusOf(runtime, middle), "running");
  await until(() => clock.awaits(45_000) && clock.awaits(5_000), "both at their models");
  await clock.advance(5_000);
  const [slow = 0] = await idsOf(runtime, "slow");
  await untilStatus(runtime, slow, "success");
  await answer(runtime, one, { text: "blue" });
  await until(() => clock.awaits(45_000), "the other asker at its model");
  await clock.advance(45_000);
  assert.deepEqual(await toEnd(runtime, lead.id).then(({ status }) => status), "success");
});

/** The agent `lead` delegates to `asker`, which runs for a long time after its answer. */
const LEAD = [{ call: [delegate("asker")] }, { say: "Heard {result}" }];
Deno.test("an execution refuses an answer to a question outside its descendants", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", LEAD, "agents: [asker]\non_pending: parallel");
  await place.writeScript("asker", [ASK, { say: "Said {result}" }], "on_pending: parallel");
  await using runtime = await place.open();
  const one = await runtime.run("lead", {});
  const two = await runtime.run("lead", {});
  const alone = await runtime.run("asker", {});
  for (const { id } of [one, two, alone]) await toEnd(runtime, id);
  const { requestId } = await runtime.pendingRequest(two.id);
  const [asker] = await runtime.listExecutions({ parentId: one.id, limit: 1, offset: 0 });
  for (const stranger of [one.id, alone.id, asker?.id ?? 0]) {
    const refusal = /older request/;
    await assert.rejects(runtime.respond(stranger, { requestId, answer: { text: "x" } }), refusal);
  }
  assert.equal((await runtime.countExecutions()).waiting, 5);
});

Deno.test("a parent's stream, log and pending request show the oldest question of its waiting children", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [delegate("late"), delegate("early")] }, { say: "Done." }];
  await place.writeScript("lead", steps, "agents: [late, early]");
  await place.writeScript("late", [
    { call: [call("ask_user", { question: "Late?" })], delay_ms: 45_000 },
    { say: "x" },
  ]);
  const script = [{ call: [call("ask_user", { question: "Early?" })] }, { say: "x" }];
  await place.writeScript("early", script);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("lead", {});
  await until(async () => (await runtime.countExecutions()).waiting === 1, "the early one asks");
  await until(() => clock.awaits(45_000), "the late one at its model");
  await clock.advance(45_000);
  const signal = new AbortController().signal;
  let last = "";
  for await (const item of (await runtime.follow(id, { after: 0, signal })).items) {
    last = item.type === "waiting" ? item.payload : "";
  }
  const { requestId, message } = await runtime.pendingRequest(id);
  assert.equal(message, "Early?");
  assert.equal(JSON.parse(last).request_id, requestId);
  const interrupt = (await payloadsOf(runtime, id)).at(-1);
  const expected = ["interrupt", requestId];
  assert.deepEqual([interrupt?.["event_type"], interrupt?.["request_id"]], expected);
});

Deno.test("delegate() follows a child that is answered while delegate() checks whether the child runs", async () => {
  const active = new ActiveRuns(new TestClock());
  const child = { id: 2, agentId: "child", status: "waiting", error: null } as Execution;
  type Families = DelegationContext["ports"]["families"];
  const ports: Partial<DelegationContext["ports"]> = {
    active,
    executions: {
      readExecution: () =>
        Promise.resolve({ execution: { ...child }, request: { args: [] }, output: "done" }),
    },
    families: { findChild: () => Promise.resolve(child) } as Partial<Families> as Families,
  };
  const other = Promise.withResolvers<void>();
  void active.track(other.promise);
  const delegated = take({ id: 1 } as Execution, { position: 2 } as PlannedCall, {
    delegation: undefined,
    signal: new AbortController().signal,
    ports: ports as DelegationContext["ports"],
  });
  // delegate() waits for pending starts. Meanwhile the answer is stored, but the child is not launched yet.
  await new Promise((resolve) => setTimeout(resolve));
  const answer = Promise.withResolvers<void>();
  void active.track(answer.promise);
  child.status = "running";
  other.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  active.launch(child.id, () => Promise.resolve(void (child.status = "success")));
  answer.resolve();
  const { state } = await delegated;
  assert.equal(state, "ended");
});
