import assert from "node:assert/strict";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { until } from "../../../support/until.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  turnOf,
} from "../../../support/test_workspace.ts";
import { toEnd } from "../../../support/test_workspace.ts";
import { answer, answerToEnd, ASK, call, delegate, resultsOf, seededOf } from "../executions_of.ts";

async function jsonResultOf(runtime: Runtime, id: number): Promise<Record<string, unknown>> {
  const [result] = await resultsOf(runtime, id);
  return JSON.parse(String(result?.["content"]));
}

/** Writes three agents: `top` delegates to `middle`, which delegates to `bottom`, which asks before it writes. */
async function writeThree(place: TestWorkspace): Promise<void> {
  const steps = [{ call: [delegate("middle")] }, { say: "Top heard {result}" }];
  await place.writeScript("top", steps, "agents: [middle]");
  const script = [{ call: [delegate("bottom")] }, { say: "Middle is done" }];
  await place.writeScript("middle", script, "agents: bottom");
  await place.writeScript("bottom", [
    { call: [call("file_write", { path: "deep.txt", content: "deep" })] },
    { say: "Bottom is done" },
  ]);
}

async function waitingIds(runtime: Runtime): Promise<number[]> {
  const waiting = await runtime.listExecutions({ statuses: ["waiting"], limit: 50, offset: 0 });
  return waiting.map(({ id }) => id).sort((a, b) => a - b);
}

Deno.test("run_agent runs another agent as a separate execution and returns its answer and its figures", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript(
    "lead",
    [{ call: [delegate("helper", "count the sheep")], cost_usd: 1 }, { say: "Done.", cost_usd: 1 }],
    "agents: [helper]\nsettings: { max_cost_usd: 4 }",
  );
  const reply = { say: "Seven.", usage: { input: 100, output: 5 }, cost_usd: 5 };
  await place.writeScript("helper", [reply]);
  await using runtime = await place.open();
  const lead = await runToEnd(runtime, "lead");
  // The helper's cost does not count toward the lead's limit of dollars.
  assert.deepEqual([lead.status, lead.outputData, lead.costUsd], ["success", "Done.", 2]);

  const [child] = await runtime.listRuns("helper", { limit: 1, offset: 0 });
  assert.ok(child);
  const expected = ["agent", lead.id, null, ["count the sheep"]];
  assert.deepEqual([child.trigger, child.parentExecutionId, child.sessionId, child.args], expected);
  const { duration_ms, ...result } = await jsonResultOf(runtime, lead.id);
  assert.equal(typeof duration_ms, "number");
  const figures = { execution_id: child.id, total_tokens: 105, cost_usd: 5 };
  assert.deepEqual(result, { status: "success", output: "Seven.", ...figures });
  const wanted = { count: 1, inputTokens: 100, outputTokens: 5, totalTokens: 105, costUsd: 5 };
  assert.deepEqual((await runtime.getExecution(lead.id)).children, wanted);
  const turn = await turnOf(runtime, child.id);
  assert.match(turn, /lead/);
  assert.match(turn, /count the sheep/);
});

Deno.test("run_agent exists only for agents that list others, and refuses all other agents", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("plain", [{ call: [delegate("helper")] }, { say: "ok" }]);
  await place.writeScript("caller", [
    { call: [call("run_agent", { agent_name: "helper", arguments: ["a", "b"] })] },
    { say: "ok" },
  ], "agents: [helper]");
  const text = "---\nmodel: { provider: demo, name: echo }\n---\nSay $1 and $0.\n";
  await place.writeAgent("helper", text);
  await using runtime = await place.open();
  const plain = await runToEnd(runtime, "plain");
  const expected = /^Error: Unknown tool "run_agent"/;
  assert.match(String((await resultsOf(runtime, plain.id))[0]?.["content"]), expected);
  const caller = await runToEnd(runtime, "caller");
  const { execution_id } = await jsonResultOf(runtime, caller.id);
  assert.deepEqual((await runtime.getExecution(Number(execution_id))).args, ["a", "b"]);

  const refusals: [id: string, expected: RegExp][] = [
    ["lead", /cannot run itself/],
    ["stranger", /cannot be run from here/],
    ["../lead", /cannot be run from here/],
    ["off", /"off": it is disabled/],
    ["gone", /"gone" cannot be run now: its file is missing/],
  ];
  const steps = [{ call: refusals.map(([id]) => delegate(id)) }, { say: "ok" }];
  await place.writeScript("lead", steps, "agents: [lead, off, gone]");
  await place.writeScript("stranger", [{ say: "no" }]);
  await place.writeScript("off", [{ say: "no" }], "enabled: false");
  for (const [id, next] of [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]] as const) {
    const script = [{ call: [delegate(next)] }, { say: "{result}" }];
    await place.writeScript(id, script, `agents: ${next}`);
  }
  await place.writeScript("e", [{ say: "too deep" }]);
  const lead = await runToEnd(runtime, "lead");
  const results = await resultsOf(runtime, lead.id);
  assert.equal(results.length, refusals.length);
  for (const [index, [, expected]] of refusals.entries()) {
    assert.match(String(results[index]?.["content"]), expected);
    assert.equal(results[index]?.["is_error"], true);
  }
  const deep = await runToEnd(runtime, "a");
  assert.match(deep.outputData ?? "", /agents may call each other 3 deep/);
  assert.equal((await runtime.listRuns("d", { limit: 9, offset: 0 })).length, 1);
  assert.equal((await runtime.listRuns("e", { limit: 9, offset: 0 })).length, 0);
});

Deno.test("an answer to a child resumes its ancestors, and so does a cancel", async () => {
  await using place = await createTestWorkspace();
  await writeThree(place);
  await using runtime = await place.open();
  const top = await runtime.run("top", {});
  await toEnd(runtime, top.id);
  const ids = await waitingIds(runtime);
  const bottom = ids.at(-1) ?? 0;
  await answer(runtime, bottom, { approved: false, reason: "too deep" });
  assert.equal((await toEnd(runtime, top.id)).status, "success");
  for (const id of ids) {
    const told = (await payloadsOf(runtime, id)).filter((one) =>
      one["content"] === "Denied: too deep"
    );
    assert.equal(told.length, 1, `execution ${id}`);
  }

  const second = await runtime.run("top", {});
  await toEnd(runtime, second.id);
  await runtime.cancel((await waitingIds(runtime)).at(-1) ?? 0);
  const ended = await toEnd(runtime, second.id);
  assert.equal(ended.status, "success");
  const [middle] = await runtime.listRuns("middle", { limit: 1, offset: 0 });
  const result = await jsonResultOf(runtime, middle?.id ?? 0);
  assert.deepEqual([result["status"], result["error"]], ["aborted", "Cancelled by user"]);
});

Deno.test("two waiting children are answered one after the other, after the parent's own question", async () => {
  await using place = await createTestWorkspace();
  const own = call("file_write", { path: "own.txt", content: "x" });
  const calls = [delegate("asker", "one"), own, delegate("asker", "two")];
  await place.writeScript("lead", [{ call: calls }, { say: "All done." }], "agents: [asker]");
  await place.writeScript("asker", [ASK, { say: "Said {result}" }]);
  await using runtime = await place.open();
  const lead = await runtime.run("lead", {});
  await toEnd(runtime, lead.id);
  assert.equal((await runtime.pendingRequest(lead.id)).toolName, "file_write");
  // A child is answered while the parent waits with its own question. The parent continues to wait.
  const children = await runtime.listRuns("asker", { limit: 2, offset: 0 });
  const [first, second] = ["one", "two"].map((arg) => children.find(({ args }) => args[0] === arg));
  const expected = "Said red";
  assert.equal((await answerToEnd(runtime, first?.id ?? 0, { text: "red" })).outputData, expected);
  assert.equal((await runtime.getExecution(lead.id)).status, "waiting");
  await answerToEnd(runtime, lead.id, { approved: true });
  const last = await runtime.pendingRequest(lead.id);
  assert.equal(last.toolName, "ask_user");
  assert.equal((await answerToEnd(runtime, lead.id, { text: "blue" })).status, "success");
  assert.equal((await runtime.getExecution(second?.id ?? 0)).outputData, "Said blue");
  assert.equal((await runtime.listRuns("asker", { limit: 9, offset: 0 })).length, 2);
  const outputs = (await resultsOf(runtime, lead.id)).map((one) => String(one["content"]));
  assert.match(outputs[0] ?? "", /Said red/);
  assert.match(outputs[2] ?? "", /Said blue/);
});

Deno.test("a parent's log contains no answer to a question that the parent did not show", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [delegate("deleter"), delegate("asker")] }, { say: "All done." }];
  await place.writeScript("lead", steps, "agents: [deleter, asker]");
  const asking = (one: unknown) => [{ call: [one] }, { say: "Said {result}" }];
  await place.writeScript("deleter", asking(call("file_delete", { path: "x" })));
  const script = asking(call("ask_user", { question: "Go on?", kind: "confirm" }));
  await place.writeScript("asker", script);
  await using runtime = await place.open();
  const lead = await runtime.run("lead", {});
  await toEnd(runtime, lead.id);
  const idOf = async (agentId: string) =>
    (await runtime.listRuns(agentId, { limit: 1, offset: 0 }))[0]?.id ?? 0;
  const ids = [await idOf("deleter"), await idOf("asker")];
  for (const id of ids) await toEnd(runtime, id);
  const shown = await runtime.pendingRequest(lead.id);
  const [seen = 0, other = 0] = shown.toolName === "file_delete" ? ids : ids.toReversed();
  const exchange = async () =>
    (await payloadsOf(runtime, lead.id))
      .filter((one) => one["event_type"] === "interrupt" || "request_id" in one)
      .map((one) => [one["event_type"], one["request_id"], one["message"]]);
  const question = ["interrupt", shown.requestId, shown.message];
  await answer(runtime, other, { approved: true });
  await until(async () => (await exchange()).length > 1, "the parent to wait again");
  assert.deepEqual(await exchange(), [question, question]);
  await answer(runtime, seen, { approved: false });
  assert.equal((await toEnd(runtime, lead.id)).status, "success");
  assert.deepEqual(await exchange(), [question, question, ["human", shown.requestId, "Denied"]]);
});

Deno.test("a delegated run's history contains only delegated runs, and other histories contain none", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("echo", "---\nmodel: { provider: demo, name: echo }\n---\nRepeat.\n");
  await using runtime = await place.open();
  /** Returns the last lines of the texts that a run got from earlier runs. */
  const seed = async (id: number) =>
    (await seededOf(place, id)).map((text) => text.split("\n").at(-1));
  const own = async (message: string) => seed((await runToEnd(runtime, "echo", { message })).id);
  const asChild = async (message: string) => {
    const steps = [{ call: [delegate("echo", message)] }, { say: "ok" }];
    await place.writeScript("lead", steps, "agents: [echo]");
    await runtime.reloadAgents();
    const { id } = await runToEnd(runtime, "lead");
    const [child] = await runtime.listRuns("echo", { limit: 1, offset: 0 });
    assert.equal(child?.parentExecutionId, id);
    return seed(child.id);
  };
  assert.deepEqual(await own("own 1"), []);
  assert.deepEqual(await asChild("child 1"), []);
  assert.deepEqual(await own("own 2"), ["own 1", "own 1"]);
  assert.deepEqual(await asChild("child 2"), ["child 1", "child 1"]);
  assert.deepEqual(await own("own 3"), ["own 1", "own 1", "own 2", "own 2"]);
});
