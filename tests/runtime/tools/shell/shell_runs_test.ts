// Runs agents with a shell in a real workspace, with the scripted model.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { answerToEnd, call, doing, resultsOf } from "../../executions/executions_of.ts";
import { assertIdentical } from "../../replay/replayed.ts";
import { IGNORED_WITHOUT_SANDBOX } from "../../sandbox/system_sandbox.ts";

const shell = (command: string, more: object = {}) => call("shell", { command, ...more });

/** Defines a test that needs the system's sandbox. */
function test(name: string, body: (place: TestWorkspace) => Promise<void>): void {
  Deno.test({
    name,
    ignore: IGNORED_WITHOUT_SANDBOX,
    fn: async () => {
      await using place = await createTestWorkspace();
      await body(place);
    },
  });
}

/** Returns the results of an execution without the durations of commands. */
async function textsOf(...of: Parameters<typeof resultsOf>): Promise<string[]> {
  const results = await resultsOf(...of);
  return results.map(({ content }) =>
    String(content).replace(/after [\d.]+m?s\./, "after a while.")
  );
}

test("a command waits for approval, unless allow names it, and what deny names fails", async (place) => {
  const steps = [
    { call: [shell("echo free")] },
    { call: [shell("echo free > asked; cat asked")] },
    { call: [shell("rm -rf asked")] },
    { say: "Done." },
  ];
  const settings = "shell: { allow: [echo *], deny: [rm -rf *] }";
  await place.writeScript("worker", steps, settings);
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "worker");
  assert.equal(status, "waiting");
  assert.deepEqual(await textsOf(runtime, id), ["Exit code 0 after a while.\nfree"]);
  const request = await runtime.pendingRequest(id);
  assert.deepEqual([request.kind, request.toolName, request.isGuard], ["confirm", "shell", true]);
  assert.deepEqual(request.toolArgs, { command: "echo free > asked; cat asked" });
  assert.equal(
    request.message,
    `Allow shell in the workspace? It may write ${place.workspace} and reach no host.`,
  );
  assert.equal((await answerToEnd(runtime, id, { approved: true })).status, "success");
  assert.deepEqual((await textsOf(runtime, id)).slice(1), [
    "Exit code 0 after a while.\nfree",
    'Error: The arguments do not fit shell:\n- "command": contains "rm -rf *", which the agent\'s file denies',
  ]);
  assert.equal(await Deno.readTextFile(join(place.workspace, "asked")), "free\n");
  await assertIdentical(runtime, id);
});

test("a person cannot change a command into one that deny names", async (place) => {
  await place.writeScript("worker", doing(shell("ls")), "shell: { deny: [rm *] }");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "worker");
  const edited = { approved: true, arguments: { command: "rm x" } };
  await assert.rejects(answerToEnd(runtime, id, edited), /denies/);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
});

test("a dry run describes a command, and the plan says that it may ask", async (place) => {
  await place.writeScript("worker", doing(shell("touch made")), "shell: { allow: [touch *] }");
  await place.writeScript("free", [], "shell: true\nauto_approve: [shell]");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "worker", { dryRun: true });
  assert.deepEqual(await textsOf(runtime, id), [
    'Would call shell {"command":"touch made"}; not done: this is a dry run. ' +
    "What you read stays as it was. Go on as if it had been done.",
  ]);
  await assert.rejects(Deno.stat(join(place.workspace, "made")), Deno.errors.NotFound);
  const planned = async (agent: string) =>
    (await runtime.planRun(agent, { withMessages: false })).tools
      .filter(({ name }) => name === "shell");
  const tool = { name: "shell", source: "builtin", server: null, effect: "unsafe" };
  assert.deepEqual(await planned("worker"), [{ ...tool, guarded: true }]);
  assert.deepEqual(await planned("free"), [{ ...tool, guarded: false }]);
});

test("output appears in the log while the command runs, and a replay repeats it", async (place) => {
  const command = "echo one; while test ! -e go; do sleep 0.05; done; echo two";
  const steps = doing(shell(command));
  await place.writeScript("worker", steps, "shell: true\nauto_approve: [shell]");
  await using runtime = await place.open();
  const { id } = await runtime.run("worker", {});
  const signal = new AbortController().signal;
  const seen: string[] = [];
  for await (const item of (await runtime.follow(id, { after: 0, signal })).items) {
    if (item.type !== "frame") continue;
    const payload = JSON.parse(item.frame.payload);
    seen.push(payload.kind === "notice" ? payload.content : payload.event_type);
    if (payload.kind === "notice") await Deno.writeTextFile(join(place.workspace, "go"), "");
  }
  const begin = seen.indexOf("tool_call");
  assert.deepEqual(
    seen.slice(begin).filter((one) => one !== "stats"),
    ["tool_call", "one", "tool_result", "ai", "final_answer", "complete"],
  );
  await assertIdentical(runtime, id);
});

test("an agent runs a test command and mends the failure", async (place) => {
  const path = join(place.workspace, "price.sh");
  await Deno.writeTextFile(path, 'echo "$(($1 * 3))"\n');
  const test =
    'test "$(sh price.sh 2)" = 4 || { echo "price of 2 is $(sh price.sh 2)"; exit 1; }\n';
  await Deno.writeTextFile(join(place.workspace, "test.sh"), test);
  const mend = { path: "price.sh", old_text: "* 3", new_text: "* 2" };
  const steps = [
    { call: [shell("sh test.sh")] },
    // The calls of one reply take effect in their order.
    { call: [call("file_edit", mend), shell("sh test.sh && echo passed")] },
    { say: "Mended." },
  ];
  const settings = "shell: { allow: [sh test.sh, echo passed] }\nauto_approve: [file_edit]";
  await place.writeScript("mender", steps, settings);
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "mender");
  const texts = await textsOf(runtime, id);
  assert.equal(status, "success", JSON.stringify(texts));
  assert.equal(texts[0], "Error: Exit code 1 after a while.\nprice of 2 is 6");
  assert.equal(texts[2], "Exit code 0 after a while.\npassed");
  const errors = (await payloadsOf(runtime, id)).filter((one) => one["is_error"] === true);
  assert.equal(errors.length, 1);
});
