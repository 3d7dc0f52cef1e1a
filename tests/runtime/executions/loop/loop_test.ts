import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../support/until.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import { toEnd } from "../../../support/test_workspace.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { answerToEnd, call, FREE, resultsOf, untilStatus } from "../executions_of.ts";

Deno.test("runLoop() returns results in order, with errors for unknown tools and invalid arguments", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.workspace, "a.txt"), "alpha");
  await place.writeScript("reader", [
    {
      say: "Looking.",
      call: [call("file_read", { path: "a.txt" }), call("file_read", { path: "b.txt" })],
    },
    { say: "a.txt says alpha." },
  ]);
  await using runtime = await place.open();
  const ended = await runToEnd(runtime, "reader");
  assert.deepEqual([ended.status, ended.outputData], ["success", "a.txt says alpha."]);
  assert.equal(ended.toolCalls, 2);
  const frames = await payloadsOf(runtime, ended.id);
  assert.deepEqual(frames.map((one) => one["event_type"]), [
    ...["execution_info", "system", "human", "tool_call", "stats", "tool_result"],
    ...["tool_result", "ai", "stats", "final_answer", "complete"],
  ]);
  const [first, second] = frames.filter((one) => one["event_type"] === "tool_result");
  assert.match(String(first?.["content"]), /alpha/);
  assert.deepEqual([first?.["is_error"], second?.["is_error"]], [false, true]);
  assert.match(String(second?.["content"]), /^Error: /);
  assert.equal(frames.at(-1)?.["status"], "success");

  await place.writeScript("clumsy", [
    {
      call: [
        call("no_such_tool", {}),
        { name: "file_read", arguments: "{ this is not JSON" },
        call("file_read", { wrong: true }),
      ],
    },
    { say: "Gave up." },
  ]);
  const clumsy = await runToEnd(runtime, "clumsy");
  assert.equal(clumsy.status, "success");
  const errors = (await resultsOf(runtime, clumsy.id)).map((one) => String(one["content"]));
  assert.match(errors[0] ?? "", /^Error: Unknown tool "no_such_tool"\. Available: file_read/);
  assert.match(errors[1] ?? "", /^Error: .*JSON/);
  assert.match(errors[2] ?? "", /^Error: .*"path" is missing/s);

  const calls = [call("file_write", { path: "a.txt", content: "a" })];
  await place.writeScript("silent", [{ call: calls }, { say: " \n" }], FREE);
  await place.writeScript("asked", [{ call: calls }, { say: "" }]);
  await place.writeScript("lead", [
    { call: [call("run_agent", { agent_id: "silent" })] },
    { say: "It said {result}" },
  ], "agents: [silent]");
  const silent = await runToEnd(runtime, "silent");
  assert.deepEqual([silent.status, silent.error, silent.outputData], ["success", null, ""]);
  const ends = (await payloadsOf(runtime, silent.id)).slice(-2);
  assert.deepEqual(ends.map((one) => [one["event_type"], one["message"], one["content"]]), [
    ["final_answer", "", ""],
    ["complete", "success", undefined],
  ]);

  const { id } = await runToEnd(runtime, "asked");
  const asked = await answerToEnd(runtime, id, { approved: false });
  assert.deepEqual([asked.status, asked.outputData], ["success", ""]);

  const lead = await runToEnd(runtime, "lead");
  assert.match(lead.outputData ?? "", /"status":"success","output":""/);

  // A run without calls must not end with an empty answer. Calls of an earlier run in the history do not count.
  await place.writeScript("silent", [{ say: "" }], FREE);
  await runtime.reloadAgents();
  const mute = await runToEnd(runtime, "silent");
  assert.deepEqual([mute.status, mute.outputData], ["error", null]);
});

Deno.test("runLoop() ends as timeout when the model does not answer in time", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("slow", [{ say: "late", delay_ms: 600_000 }], "settings: { timeout: 5 }");
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("slow", {});
  await until(() => clock.awaits(5_000), "the model call");
  await clock.advance(4_999);
  assert.equal((await runtime.getExecution(id)).status, "running");
  await clock.advance(1);
  const ended = await toEnd(runtime, id);
  assert.deepEqual([ended.status, ended.error], ["timeout", "Timeout after 5s"]);
});

Deno.test("Runtime.stop() waits for runs within the grace period and aborts the rest", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("short", [{ say: "done", delay_ms: 3_000 }]);
  await place.writeScript("long", [{ say: "late", delay_ms: 600_000 }]);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const short = await runtime.run("short", {});
  const long = await runtime.run("long", {});
  await until(() => clock.awaits(3_000) && clock.awaits(600_000), "both model calls");
  const stopped = runtime.stop({ graceMs: 8_000 });
  await assert.rejects(runtime.run("short", {}), /shutting down/);
  await until(() => clock.awaits(8_000), "the grace");
  await clock.advance(3_000);
  await untilStatus(runtime, short.id, "success");
  await clock.advance(5_000);
  await stopped;
  const ended = await runtime.getExecution(long.id);
  assert.deepEqual([ended.status, ended.error], ["aborted", "Aborted: service stopped"]);
});

const write = (name: string) => call("file_write", { path: name, content: "x" });
const READ = { call: [call("file_read", { path: "a.txt" })] };
const GLOB = { call: [call("file_glob", { pattern: "*" })] };
const MISSING = { call: [1, 2].map(() => call("file_read", { path: "missing.txt" })) };
const NEVER = { say: "never" };
const USAGE = { input: 90, output: 20 };
const TOKENS = "settings: { max_execution_tokens: 100 }";
const REFUSES = { say: "I will\n[error] not.", stop: "refusal" };
const CUT = /^Aborted: max_tokens \(the reply was cut at 4096 tokens\)$/;
const FILTERED = /^The provider's content filter stopped the reply$/;
const FAILED = /^Aborted: loop_detected \(file_read failed 3 times in a row: Error: /;
const CALLED = /^Aborted: loop_detected \(file_read was called 5 times in a row/;

/** The expected error and answer of runs with these steps, by name. */
const ENDS: Record<string, [steps: unknown[], error: RegExp | string, output: string | null]> = {
  "too many calls": [
    [{ call: [write("1"), write("2")] }, { call: [write("3"), write("4")] }, NEVER],
    "Aborted: max_tool_calls (4 calls, limit 3)",
    null,
  ],
  "too many tokens": [
    [{ ...GLOB, usage: USAGE }, NEVER],
    "Aborted: max_execution_tokens (110 tokens, limit 100)",
    null,
  ],
  "an answer that crosses a limit": [[{ say: "yes", usage: USAGE }], "", "yes"],
  "a reply that was cut": [[{ say: "half an ans", stop: "length" }], CUT, "half an ans"],
  "an empty reply": [[{ say: "  " }], "The model returned an empty reply", null],
  "a filtered reply": [[{ say: "x", stop: "content_filter" }], FILTERED, null],
  "a filtered call": [[{ call: [write("5")], stop: "content_filter" }], FILTERED, null],
  "a refusal": [[REFUSES], "The model refused to answer: I will [error] not.", null],
  "one tool that fails three times": [[MISSING, GLOB, MISSING, MISSING, NEVER], FAILED, null],
  "one that fails twice": [[MISSING, MISSING, { say: "gave up" }], "", "gave up"],
  // A successful call of the same tool resets the count of failures.
  "a success between": [[MISSING, MISSING, READ, MISSING, { say: "later" }], "", "later"],
  "no loop_detection": [[MISSING, MISSING, MISSING, MISSING, { say: "on" }], "", "on"],
  "the fifth equal call": [[READ, READ, READ, READ, READ, NEVER], CALLED, null],
  "another call between": [[READ, READ, READ, READ, GLOB, READ, { say: "done" }], "", "done"],
};
const SETTINGS: Record<string, string> = {
  "too many calls": "settings: { max_tool_calls: 3 }",
  "too many tokens": TOKENS,
  "an answer that crosses a limit": TOKENS,
  "no loop_detection": "settings: { loop_detection: false }",
};

Deno.test("runLoop() ends at limits, loops and replies without an answer, before further calls run", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.workspace, "a.txt"), "alpha");
  const ids = Object.keys(ENDS).map((_, index) => `agent${index}`);
  for (const [index, [name, [steps]]] of Object.entries(ENDS).entries()) {
    await place.writeScript(ids[index]!, steps, `${FREE}\n${SETTINGS[name] ?? ""}`.trim());
  }
  await using runtime = await place.open();
  for (const [index, [name, [, error, output]]] of Object.entries(ENDS).entries()) {
    const ended = await runToEnd(runtime, ids[index]!);
    if (error instanceof RegExp) assert.match(ended.error ?? "", error, name);
    else assert.equal(ended.error ?? "", error, name);
    const status = error === ""
      ? "success"
      : ended.error?.startsWith("Aborted")
      ? "aborted"
      : "error";
    assert.deepEqual([ended.status, ended.outputData], [status, output], name);
    if (name === "too many calls") assert.equal(ended.toolCalls, 2, "refused ones are not counted");
  }
  const made = [...Deno.readDirSync(place.workspace)].map(({ name }) => name).sort();
  assert.deepEqual(made, ["1", "2", "a.txt", "agents"]);
});
