// Tests the rule about the people who approve calls: who may answer, and how many must.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { HumanAnswer } from "../../../runtime/executions/human_request.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import type { Caller } from "../../../runtime/vocabulary/callers.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  type TestWorkspace,
  toEnd,
} from "../../support/test_workspace.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { call, delegate, doing, started, stopWaiting } from "./executions_of.ts";

const person = (name: string, more: Partial<Caller> = {}): Caller => ({
  via: "api",
  role: "operator",
  name,
  ...more,
});
const WRITE = doing(call("file_write", { path: "a.txt", content: "theirs" }));
const YES = { approved: true };

async function answerAs(runtime: Runtime, id: number, by: Caller, answer: HumanAnswer = YES) {
  const { requestId } = await runtime.pendingRequest(id);
  return await runtime.respond(id, { requestId, answer, by });
}

async function written(place: TestWorkspace): Promise<string | undefined> {
  return await Deno.readTextFile(join(place.workspace, "a.txt")).catch(() => undefined);
}

Deno.test("two different people must approve, and the same person counts once", async () => {
  await using on = await started("writer", WRITE, "approvals: 2");
  const { runtime, id, place } = on;
  const partial = await answerAs(runtime, id, person("anna"));
  assert.deepEqual([partial?.approvals, partial?.needed], [1, 2]);
  await assert.rejects(answerAs(runtime, id, person("anna")), {
    name: "ApprovedBefore",
    code: "conflict",
  });
  const pending = await runtime.pendingRequest(id);
  assert.deepEqual(pending.approvedBy, ["anna"]);
  assert.equal(await written(place), undefined);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
  assert.equal(await answerAs(runtime, id, person("bob")), undefined);
  assert.equal((await toEnd(runtime, id)).status, "success");
  assert.equal(await written(place), "theirs");
  const notices = (await payloadsOf(runtime, id)).map((one) => one["content"]);
  assert(notices.includes("1 of 2 approvals, by anna"));
  const records = await runtime.audit.listRecords({ limit: 9, actions: ["answer"] });
  assert.deepEqual(records.map(({ name }) => name), ["bob", "anna"]);
});

Deno.test("approvals at the same moment count once for each person", async () => {
  await using on = await started("writer", WRITE, "approvals: 3");
  const { runtime, id, place } = on;
  const { requestId } = await runtime.pendingRequest(id);
  const respond = (name: string) =>
    runtime.respond(id, { requestId, answer: YES, by: person(name) });
  const names = ["anna", "bob", "anna", "bob", "anna"];
  const results = await Promise.allSettled(names.map(respond));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 2);
  const { approvedBy = [] } = await runtime.pendingRequest(id);
  assert.deepEqual([...approvedBy].sort(), ["anna", "bob"]);
  assert.equal(await written(place), undefined);
  await respond("carl");
  assert.equal((await toEnd(runtime, id)).status, "success");
});

Deno.test("only the listed names and roles may answer, and neither programs, links nor a key without a name", async () => {
  const rule = "approvers: [anna, author]\nexclude_starter: true";
  await using place = await createTestWorkspace();
  await place.writeScript("writer", WRITE, rule);
  await place.writeScript(
    "lead",
    [{ call: [delegate("writer")] }, { say: "Done." }],
    "agents: [writer]\nauto_approve: [run_agent]",
  );
  await using runtime = await place.open();
  const { id } = await runtime.run("lead", { by: person("dora", { role: "admin" }) });
  await toEnd(runtime, id);
  const strangers: Caller[] = [
    person("bob"),
    person("bob", { via: "chat", role: undefined as never }),
    // A name gives no role.
    person("author", { via: "chat", role: undefined as never }),
    person("anna", { via: "program" }),
    person("dora", { role: "admin" }),
    { via: "link" },
    person("anna", { via: "link" }),
    { via: "api", isSingleKey: true },
    { via: "page" },
  ];
  for (const by of strangers) {
    for (const approved of [true, false]) {
      await assert.rejects(
        answerAs(runtime, id, by, { approved }),
        { code: "forbidden" },
        JSON.stringify(by),
      );
    }
  }
  await assert.rejects(answerAs(runtime, id, { via: "link" }), {
    message:
      /^This question is for anna, people with the role author, .*\(dora\); a link has no name: sign in/,
  });
  const { requestId } = await runtime.pendingRequest(id);
  await assert.rejects(runtime.respond(id, { requestId, answer: YES }), { code: "forbidden" });
  assert.equal(await written(place), undefined);
  await answerAs(runtime, id, person("eve", { role: "admin" }));
  assert.equal((await toEnd(runtime, id)).status, "success");
  assert.equal(await written(place), "theirs");
});

Deno.test("one denial ends the question, whatever was approved before", async () => {
  await using on = await started("writer", WRITE, "approvals: 2");
  const { runtime, id, place } = on;
  await answerAs(runtime, id, person("anna"));
  assert.equal(await answerAs(runtime, id, person("bob"), { approved: false }), undefined);
  assert.equal((await toEnd(runtime, id)).status, "success");
  assert.equal(await written(place), undefined);
});

Deno.test("changed arguments void earlier approvals, and answers to the question with the old ones", async () => {
  await using on = await started("writer", WRITE, "approvals: 2");
  const { runtime, id, place } = on;
  await answerAs(runtime, id, person("anna"));
  const old = await runtime.pendingRequest(id);
  const args = { path: "a.txt", content: "mine" };
  const edited = { approved: true, arguments: args };
  const partial = await answerAs(runtime, id, person("bob"), edited);
  assert.deepEqual([partial?.approvals, partial?.needed], [1, 2]);
  const { requestId } = old;
  // Carl has seen only the old arguments.
  await assert.rejects(runtime.respond(id, { requestId, answer: YES, by: person("carl") }), {
    name: "NotWaiting",
  });
  const pending = await runtime.pendingRequest(id);
  assert.deepEqual([pending.toolArgs, pending.approvedBy], [args, ["bob"]]);
  await assert.rejects(answerAs(runtime, id, person("bob"), edited), { name: "ApprovedBefore" });
  await answerAs(runtime, id, person("anna"));
  assert.equal((await toEnd(runtime, id)).status, "success");
  assert.equal(await written(place), "mine");
  const result = (await payloadsOf(runtime, id)).find((one) => one["event_type"] === "tool_result");
  assert.match(String(result?.["content"]), /changed the arguments .*: content = "mine"/);
});

Deno.test("a restart keeps the approvals, and an edit of the file cannot lower the rule", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("writer", WRITE, "approvals: 2\non_restart: resume");
  const id = await stopWaiting(place, "writer");
  {
    await using runtime = await place.open();
    await answerAs(runtime, id, person("anna"));
  }
  await place.writeScript("writer", WRITE, "on_restart: resume");
  await using runtime = await place.open();
  await runtime.reloadAgents();
  await assert.rejects(answerAs(runtime, id, person("anna")), { name: "ApprovedBefore" });
  await assert.rejects(answerAs(runtime, id, { via: "api", isSingleKey: true }), {
    code: "forbidden",
    message: /this key has no name/,
  });
  // A request over the socket of an account without a name.
  await assert.rejects(answerAs(runtime, id, { via: "api" }), {
    code: "forbidden",
    message: /your name is unknown: .* service\.owner/,
  });
  await answerAs(runtime, id, person("bob"));
  assert.equal((await toEnd(runtime, id)).status, "success");
  // A new question has the new rule.
  const next = await runToEnd(runtime, "writer");
  await answerAs(runtime, next.id, { via: "api", isSingleKey: true });
  assert.equal((await toEnd(runtime, next.id)).status, "success");
});

Deno.test("a question of the agent itself has no rule, and a guarded call without an answer expires", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [call("ask_user", { question: "Which?" })] }, ...WRITE];
  await place.writeScript("writer", steps, "approvals: 2\nconfirm_timeout: 60s");
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runToEnd(runtime, "writer");
  await answerAs(runtime, id, { via: "link" }, { text: "Red." });
  assert.equal((await toEnd(runtime, id)).status, "waiting");
  await answerAs(runtime, id, person("anna"));
  await until(() => clock.awaits(60_000), "the deadline");
  await clock.advance(60_000);
  await until(async () => (await runtime.getExecution(id)).status === "success", "the end");
  assert.equal(await written(place), undefined);
});
