// Tests approvals with edited arguments: only the edited call runs.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../base/json.ts";
import { AnswerMisfit } from "../../../runtime/executions/human_request.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { answerToEnd, call, doing, resultsOf, started } from "./executions_of.ts";

const KEY = "sk-live-0123456789abcdef";
const write = (path: string, content: string) => call("file_write", { path, content });

const approve = (runtime: Runtime, id: number, args: JsonObject, reason?: string) =>
  answerToEnd(runtime, id, { approved: true, arguments: args, ...(reason && { reason }) });

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .filter((name) => name !== "agents").sort();
}

Deno.test("the tool gets only the edited arguments, and the log shows the edit", async () => {
  await using on = await started("writer", doing(write("a.txt", "theirs")));
  const { place, runtime, id } = on;
  assert.equal(
    (await approve(runtime, id, { path: "b.txt", content: "mine" }, "not over a")).status,
    "success",
  );
  assert.deepEqual(await namesIn(place.workspace), ["b.txt"]);
  assert.equal(await Deno.readTextFile(join(place.workspace, "b.txt")), "mine");
  const [result] = await resultsOf(runtime, id);
  assert.equal(
    result?.["content"],
    "Created b.txt (4 chars, 1 lines)\n" +
      'The user changed the arguments of this call before it ran: path = "b.txt", content = "mine"\n' +
      "The user approved this and said: not over a",
  );
  const answered = (await payloadsOf(runtime, id)).findLast((one) => one["event_type"] === "human");
  const expected = "Approved: not over a\nWith other arguments:\n  path: b.txt\n  content: mine";
  assert.equal(answered?.["content"], expected);
});

Deno.test("edited arguments that do not fit the tool leave the question open and change nothing", async () => {
  await using on = await started("writer", [{ call: [write("a.txt", "x")] }, { say: "Done." }]);
  const { place, runtime, id } = on;
  const before = await payloadsOf(runtime, id);
  let deep: JsonObject = {};
  for (let level = 0; level < 200; level++) deep = { deep };
  const cases = [
    [{ path: "a.txt" }, /"content" is missing/],
    [{ path: "a.txt", content: 5 }, /"content": expected string/],
    [{ path: "a.txt", content: "", mode: "x" }, /unknown argument "mode"/],
    [deep, /nested over 100 levels/],
  ] as [JsonObject, RegExp][];
  for (const [args, sentence] of cases) {
    await assert.rejects(approve(runtime, id, args), { name: "AnswerMisfit", message: sentence });
  }
  const { requestId } = await runtime.pendingRequest(id);
  const denial = { approved: false, arguments: { path: "a.txt", content: "x" } };
  await assert.rejects(runtime.respond(id, { requestId, answer: denial }), AnswerMisfit);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
  assert.deepEqual(await payloadsOf(runtime, id), before);
  assert.deepEqual(await namesIn(place.workspace), []);
});

Deno.test("an edited call obeys the agent's paths and delegates, and its secrets stay redacted", async () => {
  await using place = await createTestWorkspace({ shell: { SERVICE_TOKEN: KEY } });
  await place.writeScript("writer", [{ call: [write("a.txt", "x")] }, { say: "Done." }]);
  await using runtime = await place.open();
  for (const path of ["../outside.txt", ".env", "agents/writer.md"]) {
    const { id } = await runToEnd(runtime, "writer");
    assert.equal((await approve(runtime, id, { path, content: "taken" })).status, "success");
    const [result] = await resultsOf(runtime, id);
    assert.equal(result?.["is_error"], true);
    assert.match(String(result?.["content"]), /^Error: Cannot write/);
  }
  assert.deepEqual(await namesIn(place.workspace), []);
  await assert.rejects(Deno.stat(join(place.root, "outside.txt")), Deno.errors.NotFound);

  await place.writeScript("helper", [{ say: "Helped." }]);
  await place.writeScript("stranger", [{ say: "Strange." }]);
  await place.writeScript(
    "lead",
    [{ call: [{ name: "run_agent", arguments: { agent_id: "helper" } }] }, { say: "Done." }],
    "agents: [helper]\nconfirm: [run_agent]",
  );
  const { id: lead } = await runToEnd(runtime, "lead");
  await assert.rejects(approve(runtime, lead, { agent_id: "stranger" }), AnswerMisfit);
  assert.equal((await runtime.getExecution(lead)).status, "waiting");
  const ended = (await approve(runtime, lead, { agent_id: "helper", arguments: ["more"] })).status;
  assert.equal(ended, "success");
  const [child] = await runtime.listExecutions({ agentId: "helper", limit: 5, offset: 0 });
  assert.deepEqual(child?.args, ["more"]);

  await place.writeScript("secret", [{ call: [write("a.txt", `t: ${KEY}`)] }, { say: "Done." }]);
  const { id: secret } = await runToEnd(runtime, "secret");
  const { content } = (await runtime.pendingRequest(secret)).toolArgs;
  assert.equal(content, "t: [redacted:SERVICE_TOKEN]");
  for (const other of [`${content}!`, "[redacted:SERVICE_TOKEN]"]) {
    const refusal = /"content": \[redacted:SERVICE_TOKEN\] stands for a secret that is not shown/;
    await assert.rejects(approve(runtime, secret, { path: "b.txt", content: other }), refusal);
  }
  const expected = /"path": \[redacted/;
  await assert.rejects(approve(runtime, secret, { path: String(content), content: "" }), expected);
  const kept = (await approve(runtime, secret, { path: "b.txt", content: String(content) })).status;
  assert.equal(kept, "success");
  assert.equal(await Deno.readTextFile(join(place.workspace, "b.txt")), `t: ${KEY}`);
  assert.doesNotMatch(JSON.stringify(await payloadsOf(runtime, secret)), new RegExp(KEY));
});

Deno.test("unchanged arguments are no edit, and a tool's own question accepts no arguments", async () => {
  const edit = { path: "a.txt", old_text: "one", new_text: "two" };
  const asks = call("ask_user", { question: "Sure?", kind: "confirm" });
  const steps = [
    { call: [write("a.txt", "one")] },
    { call: [call("file_edit", edit)] },
    { call: [asks] },
  ];
  await using on = await started(
    "writer",
    steps,
    "confirm: [file_edit]\nauto_approve: [file_write]",
  );
  const { runtime, id } = on;
  const shown = async () => (await runtime.pendingRequest(id)).toolArgs;
  assert.deepEqual(await shown(), edit, "without the defaults that the tool fills in");
  assert.equal((await approve(runtime, id, { ...edit, replace_all: false })).status, "waiting");
  assert.deepEqual(await shown(), { question: "Sure?", kind: "confirm" });
  const [, result] = await resultsOf(runtime, id);
  assert.equal(result?.["content"], "Updated a.txt (1 replacement, line 1)");
  await assert.rejects(approve(runtime, id, { question: "Really?" }), /keeps its arguments/);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
});
