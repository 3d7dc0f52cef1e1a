// Tests of cases recorded from finished executions: they pass, contain no times or ids, and are equal for equal runs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { AgentTests } from "../../../ops/testing/agent_tests.ts";
import { NotRecordable } from "../../../ops/testing/refusals.ts";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";
import { answerToEnd } from "../../runtime/executions/executions_of.ts";

const call = (name: string, args: unknown) => ({ call: [{ name, arguments: args }] });

async function openTests(workspace: Awaited<ReturnType<typeof createTestWorkspace>>) {
  const version = "0.0.0-test";
  return await AgentTests.open(await workspace.settings(), { clock: new SystemClock(), version });
}

Deno.test("a recorded run becomes a case that passes, and equal runs give equal texts", async () => {
  await using workspace = await createTestWorkspace();
  const { root, workspace: folder, agentsDir } = workspace;
  await Deno.mkdir(join(agentsDir, "_config"));
  await Deno.writeTextFile(join(agentsDir, "_config", ".env"), "FORECAST_TOKEN=abcdef-123456\n");
  await Deno.writeTextFile(join(folder, "notes.md"), "Roses need water.\n");
  await workspace.writeScript("mixed", [
    call("file_read", { path: join(folder, "notes.md") }),
    call("file_glob", { pattern: join(folder, "*.md") }),
    call("file_write", { path: join(folder, "out.md"), content: "one\ntwo\n" }),
    call("file_edit", { path: "out.md", old_text: "two", new_text: "abcdef-123456" }),
    call("file_edit", { path: "notes.md", old_text: "need", new_text: "want" }),
    call("file_move", { source: "out.md", destination: "kept/out.md" }),
    call("file_read", { path: "none.md" }),
    call("file_delete", { path: "notes.md" }),
    call("ask_user", { question: "Which?", options: ["red", "blue"] }),
    call("run_agent", { agent_id: "helper" }),
    call("run_agent", { agent_id: "lost" }),
    call("forecast", { city: "Bonn" }),
    { say: "Your answer: {result}" },
  ], "auto_approve: [file_write]\nagents: [helper, lost]");
  await workspace.writeScript("helper", [{ say: "helped" }]);
  await workspace.writeScript("lost", [call("nothing", {})], "settings: { max_tool_calls: 1 }");
  await using runtime = await workspace.open();
  const ids: number[] = [];
  for (let count = 0; count < 2; count++) {
    await Deno.writeTextFile(join(folder, "notes.md"), "Roses need water.\n");
    await Deno.remove(join(folder, "kept"), { recursive: true }).catch(() => {});
    const { id } = await runToEnd(runtime, "mixed", { args: ["a b"], message: "Begin" });
    await answerToEnd(runtime, id, { approved: false, reason: "keep it" });
    await answerToEnd(runtime, id, { selected: ["red"] });
    assert.equal((await runtime.getExecution(id)).status, "success");
    ids.push(id);
  }
  await using tests = await openTests(workspace);
  const paths = await Promise.all(ids.map((id) => tests.record(id, { name: `case-${id}` })));
  const [first = "", second = ""] = await Promise.all(paths.map((path) => Deno.readTextFile(path)));
  const withoutTokens = (text: string) =>
    text.replaceAll(/ +input_tokens: \d+\n/g, "").replaceAll(/"total_tokens":\d+/g, "");
  // The second run's prompt contains the first run's answer, so the token counts differ.
  assert.equal(withoutTokens(first), withoutTokens(second));
  assert.equal(await tests.record(ids[0] ?? 0, { name: `case-${ids[0]}` }), paths[0]);
  assert.equal(await Deno.readTextFile(paths[0] ?? ""), first);
  assert.ok(!first.includes(root), first);
  assert.ok(!first.includes("abcdef-123456"), first);
  assert.match(first, /\[redacted:FORECAST_TOKEN\]/);
  assert.match(first, /approved: false\n/);
  assert.match(first, /"status":"success","output":"helped"/);
  assert.doesNotMatch(first, /execution_id|duration_ms/);
  assert.match(first, /\n {4}kept\/out\.md:\n/);
  assert.match(first, /^version: 1\ninput:\n {2}args:\n {4}- a b\n {2}message: Begin\nreplies:\n/);
  const results = await tests.run("mixed");
  const expected = [[[], []], [[], []]];
  assert.deepEqual(results.map(({ problems, failures }) => [problems, failures]), expected);
});

Deno.test("record replaces no edited case and refuses waiting runs", async () => {
  await using workspace = await createTestWorkspace();
  await workspace.writeScript("hi", [{ say: "hello" }]);
  await using runtime = await workspace.open();
  const { id } = await runToEnd(runtime, "hi");
  await using tests = await openTests(workspace);
  const path = await tests.record(id);
  await Deno.writeTextFile(path, "version: 1\n");
  await assert.rejects(tests.record(id), /is there already: choose another name/);
  assert.equal(await Deno.readTextFile(path), "version: 1\n");
  await assert.rejects(tests.record(id, { name: "../out" }), NotRecordable);
  const message = 'There is no execution 2. "inkling logs" lists the last ones';
  await assert.rejects(tests.record(id + 1), { code: "not_found", message });

  await workspace.writeScript("limited", [
    call("file_glob", { pattern: "*" }),
    call("file_glob", { pattern: "*.md" }),
    { say: "done" },
  ], "settings: { max_tool_calls: 1 }");
  const unscripted = "---\nmodel: { provider: demo, name: script }\n---\nNo script.\n";
  await workspace.writeAgent("broken", unscripted);
  await workspace.writeScript("asking", [call("ask_user", { question: "?" }), { say: "ok" }]);
  const statuses: string[] = [];
  for (const agent of ["limited", "broken"]) {
    const { id: waiting, status } = await runToEnd(runtime, agent);
    statuses.push(status);
    await tests.record(waiting);
  }
  assert.deepEqual(statuses, ["aborted", "error"]);
  const results = [...await tests.run("broken"), ...await tests.run("limited")];
  const expected = [["broken", []], ["limited", []]];
  assert.deepEqual(results.map(({ name, failures }) => [name.split("/")[0], failures]), expected);
  const { id: waiting } = await runToEnd(runtime, "asking");
  await assert.rejects(tests.record(waiting), /has not ended/);
});
