// Tests replays of all kinds of runs: delegation, cancels, timeouts, failures, restarts, conversations, skills.
import assert from "node:assert/strict";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, rowsOf, runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { assertIdentical } from "./replayed.ts";
import {
  answerToEnd,
  ASK,
  call,
  delegate,
  doing,
  FREE,
  idsOf,
  stopAtModel,
} from "../executions/executions_of.ts";
import { untilStatus, writeSkill } from "../executions/executions_of.ts";

Deno.test("replay() of delegated runs and of conversations is identical", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", [
    { say: "Two.", call: [delegate("asks"), delegate("quick"), delegate("also")] },
    { call: [delegate("nobody"), call("ask_user", { question: "Own?" }), delegate("asks")] },
    { say: "Heard {result}" },
  ], "agents: [asks, quick, also]");
  await place.writeScript("quick", [{ say: "Quick." }]);
  const asking = [{ call: [call("file_write", { path: "x.txt", content: "x" })] }, { say: "Ok." }];
  await place.writeScript("asks", asking, "confirm: [file_write]");
  await place.writeScript("also", asking, "confirm: [file_write]");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "lead");
  for (let n = 0; n < 4; n++) {
    await assertIdentical(runtime, id);
    const { kind } = await runtime.pendingRequest(id);
    await answerToEnd(runtime, id, kind === "input" ? { text: "Mine" } : { approved: n % 2 === 0 });
  }
  assert.equal((await runtime.getExecution(id)).status, "success");
  for (const one of [id, ...await idsOf(runtime, "asks"), ...await idsOf(runtime, "also")]) {
    await assertIdentical(runtime, one);
  }

  // An answer that arrived while the parent was running is only in the log of the execution that asked.
  const steps = [{ call: [delegate("asks")] }, { say: "Heard {result}" }];
  await place.writeScript("one", steps, "agents: [asks]");
  const { id: one } = await runToEnd(runtime, "one");
  await answerToEnd(runtime, one, { approved: true });
  await assertIdentical(runtime, one);
  const answers = "event = 'message' AND payload ->> '$.request_id' IS NOT NULL";
  assert.equal(await place.run(`DELETE FROM frames WHERE execution_id = ? AND ${answers}`, one), 1);
  await assertIdentical(runtime, one);

  const echo = (lines: string) =>
    place.writeAgent("echo", `---\nmodel: { provider: demo, name: echo }\n${lines}---\nGo.\n`);
  await echo("");
  const turns: number[] = [];
  for (let n = 0; n < 7; n++) {
    turns.push((await runToEnd(runtime, "echo", { message: `Turn ${n}`, sessionId: "s" })).id);
  }
  for (const id of turns) await assertIdentical(runtime, id);
  await echo("history: medium\n");
  const levels = async () => {
    const differing: number[] = [];
    for (const id of turns) {
      const { differences } = await runtime.replays.replay(id, { withAllTools: false });
      if (differences.length > 0) differing.push(turns.indexOf(id));
    }
    return differing;
  };
  assert.deepEqual(await levels(), [6], "the one that had more than ten messages before it");
  await echo("history: off\n");
  assert.deepEqual(await levels(), [1, 2, 3, 4, 5, 6]);
});

Deno.test("replay() of a run that failed or reached a limit ends in the same way", async () => {
  await using place = await createTestWorkspace();
  const read = call("file_read", { path: "none.txt" });
  await place.writeScript("fails", [{ call: [read] }, { say: "Half", fail: "broken" }], FREE);
  await place.writeScript("at_once", [{ fail: "no" }]);
  const steps = [{ call: [read, read] }, { say: "Never" }];
  await place.writeScript("limit", steps, "settings: { max_tool_calls: 1 }");
  await place.writeScript("circle", Array(5).fill({ call: [read] }), FREE);
  await place.writeScript("empty", [{ say: "" }]);
  await place.writeScript("quiet", [{ call: [call("file_glob", { pattern: "*" })] }, { say: "" }]);
  await place.writeScript("cut", [{ say: "Lon", stop: "length" }]);
  await place.writeScript("refuses", [{ say: "I will not", stop: "refusal" }]);
  await place.writeScript("lost", [{ say: "x" }], "skills: [gone]");
  await place.writeAgent("no_model", "---\nmodel: { provider: openai, name: x }\n---\nGo.\n");
  const script = [{ call: [read], cost_usd: 0.1 }, { say: "x", cost_usd: 0.25 }];
  await place.writeScript("priced", script, "settings: { max_cost_usd: 0.2 }");
  await using runtime = await place.open();
  const before: number[] = [];
  for (const { agent } of await runtime.listAgents()) {
    before.push((await runToEnd(runtime, agent.id)).id);
  }
  assert.equal(before.length, 11);
  const stored = await rowsOf(place);
  for (const id of before) {
    const { differences } = await runtime.replays.replay(id, { withAllTools: false });
    const { agentId } = await runtime.getExecution(id);
    // Missing tools are reported. Everything else is equal.
    assert.deepEqual(differences.filter(({ what }) => what !== "what is available"), [], agentId);
  }
  assert.deepEqual(await rowsOf(place), stored, "nothing was written");
});

Deno.test("replay() repeats retries, timeouts, cancels and cut replies at the same positions", async () => {
  await using place = await createTestWorkspace({ shell: { MINE_API_KEY: "sk-test" } });
  await using server = new OpenAiServer([
    { status: 500, body: "{}" },
    { text: "Fine." },
    { text: "It beg", then: "hang" },
    { text: "Slow", then: "hang" },
    { toolCalls: [{ name: "file_read", arguments: { path: "a" } }] },
    { silent: true },
  ]);
  const model = `model: { provider: mine, name: m, base_url: "${server.url}" }`;
  await place.writeAgent("mine", `---\n${model}\nsettings: { timeout: 100 }\n---\nGo.\n`);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const retried = (await runtime.run("mine", {})).id;
  await until(async () => {
    await clock.advance(1_000);
    return (await runtime.getExecution(retried)).status === "success";
  }, "the second attempt");
  const cancelled = (await runtime.run("mine", {})).id;
  await untilSaid(runtime, cancelled, "It beg");
  await runtime.cancel(cancelled);
  await untilStatus(runtime, cancelled, "aborted");
  const late = (await runtime.run("mine", {})).id;
  await untilSaid(runtime, late, "Slow");
  await clock.advance(100_000);
  await untilStatus(runtime, late, "timeout");
  const silent = (await runtime.run("mine", {})).id;
  await server.received(6);
  await clock.advance(100_000);
  await untilStatus(runtime, silent, "timeout");
  for (const id of [retried, cancelled, late, silent]) await assertIdentical(runtime, id);
});

/** Waits until a reply of a run's model contains this text. */
async function untilSaid(runtime: Runtime, id: number, text: string): Promise<void> {
  const { signal } = new AbortController();
  let said = "";
  for await (const item of (await runtime.follow(id, { after: 0, deltas: true, signal })).items) {
    if (item.type === "delta") said += item.content;
    if (said.includes(text)) break;
  }
}

Deno.test("replay() of a run that continued with a changed prompt after a restart is identical", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("resumed", [
    { call: [call("memory_save", { section: 'The "first"', content: "x" })] },
    {
      say: "Slow",
      delay_ms: 200_000,
      call: [call("memory_save", { section: "Second", content: "y" })],
    },
    { call: [call("ask_user", { question: "Well?" })] },
    { say: "Done." },
  ], `on_restart: resume\n${FREE}`);
  const clock = new TestClock();
  const id = await stopAtModel(place, "resumed", { clock, ms: 200_000 });
  await using runtime = await place.open({ clock });
  await until(() => clock.awaits(200_000), "its model again");
  await clock.advance(200_000);
  await untilStatus(runtime, id, "waiting");
  await assertIdentical(runtime, id);
  await answerToEnd(runtime, id, { text: "Well." });
  await assertIdentical(runtime, id);
});

Deno.test("replay() of a run that was cancelled during its calls has the finished results", async () => {
  await using place = await createTestWorkspace();
  for (const name of ["tidy", "count"]) await writeSkill(place, name, `Do ${name}.`);
  const skill = (name: string) => call("skill_use", { skill_name: name });
  const glob = call("file_glob", { pattern: "*" });
  const mixes = [
    [glob, skill("count"), delegate("slow"), skill("tidy")],
    [glob, skill("count"), delegate("slow"), glob, skill("tidy"), glob, glob],
  ];
  await place.writeScript("slow", [{ say: "x", delay_ms: 600_000 }]);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  for (const [n, mix] of mixes.entries()) {
    const lines = `agents: [slow]\nskills: [tidy, count]\n${FREE}`;
    await place.writeScript(`lead_${n}`, [{ call: mix }], lines);
    const { id } = await runtime.run(`lead_${n}`, {});
    await until(() => clock.awaits(600_000), "the delegate's model");
    await assertIdentical(runtime, id);
    await runtime.cancel(id);
    await untilStatus(runtime, id, "aborted");
    await until(() => !clock.awaits(600_000), "the delegate is over");
    await assertIdentical(runtime, id);
  }
  await place.writeScript("asker", [ASK]);
  const asker = (await runToEnd(runtime, "asker")).id;
  await runtime.cancel(asker);
  const delegates = await idsOf(runtime, "slow");
  for (const id of [asker, ...delegates]) await assertIdentical(runtime, id);
});

Deno.test("replay() puts instructions from before a restart before the new prompt", async () => {
  await using place = await createTestWorkspace();
  await writeSkill(place, "count", "Do count.");
  // The prompt contains the names of memory sections, so it changes when a section is saved.
  const save = call("memory_save", { section: "Facts", content: "x" });
  await place.writeScript("slow", [{ say: "x", delay_ms: 600_000 }], "on_restart: resume");
  const steps = doing(delegate("slow"), call("skill_use", { skill_name: "count" }), save);
  const lines = `agents: [slow]\nskills: [count]\non_restart: resume\n${FREE}`;
  await place.writeScript("lead", steps, lines);
  const clock = new TestClock();
  let id: number;
  {
    await using runtime = await place.open({ clock });
    ({ id } = await runtime.run("lead", {}));
    await until(() => clock.awaits(600_000), "the delegate's model");
    const results = "SELECT 1 FROM messages WHERE role = 'tool' AND execution_id = ?";
    const isThere = async () => (await place.all(results, id)).length === 2;
    await until(isThere, "the results of the others");
    await runtime.stop({ graceMs: 0 });
  }
  await using runtime = await place.open({ clock });
  await until(() => clock.awaits(600_000), "the delegate's model again");
  await clock.advance(600_000);
  await untilStatus(runtime, id, "success");
  const types = (await runtime.readFrames(id, { after: 0 }))
    .map(({ payload }) => JSON.parse(payload).event_type as string);
  const expected = ["meta", "system"];
  assert.deepEqual(types.slice(types.indexOf("meta"), types.indexOf("tool_result")), expected);
  await assertIdentical(runtime, id);
});
