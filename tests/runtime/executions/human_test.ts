import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { fileRead } from "../../../runtime/tools/builtin/file_read.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { answer, answerToEnd, ASK, call, doing, resultsOf, started } from "./executions_of.ts";
import type { HumanAnswer } from "../../../runtime/executions/human_request.ts";
import { AnswerMisfit, checkAnswer } from "../../../runtime/executions/human_request.ts";
import { mayProgramAnswer } from "../../../runtime/vocabulary/callers.ts";
import type { ToolQuestion } from "../../../runtime/tools/definition/tool.ts";

const write = (path: string) => call("file_write", { path, content: path });

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("guarded calls wait one after the other, and an approval's remark follows the result", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ say: "Writing.", call: [write("a.txt")] }, { say: "Done." }];
  await place.writeScript("writer", steps);
  await using runtime = await place.open();
  const { id } = await runtime.run("writer", {});
  const waiting = await toEnd(runtime, id);
  assert.deepEqual([waiting.status, waiting.finishedAt], ["waiting", null]);
  const request = await runtime.pendingRequest(id);
  const expected = ["confirm", "file_write", { path: "a.txt", content: "a.txt" }, null];
  assert.deepEqual([request.kind, request.toolName, request.toolArgs, request.expiresAt], expected);
  assert.equal(await exists(join(place.workspace, "a.txt")), false);

  const ended = await answerToEnd(runtime, id, { approved: true });
  assert.deepEqual([ended.status, ended.outputData], ["success", "Done."]);
  assert.equal(await Deno.readTextFile(join(place.workspace, "a.txt")), "a.txt");
  const types = (await payloadsOf(runtime, id)).map((one) => one["event_type"]);
  assert.deepEqual(types, [
    ...["execution_info", "system", "human", "tool_call", "stats", "interrupt"],
    ...["human", "tool_result", "ai", "stats", "final_answer", "complete"],
  ]);

  const calls = [
    write("said.txt"),
    call("file_delete", { path: "none.txt" }),
    call("run_agent", { agent_id: "asker" }),
  ];
  const settings = "confirm: [file_write, file_delete, run_agent]\nagents: [asker]";
  await place.writeScript("lead", [{ call: calls }, { say: "Done." }], settings);
  const asking = [{ call: [call("ask_user", { question: "Which?" })] }, { say: "Said {result}" }];
  await place.writeScript("asker", asking);
  const { id: lead } = await runtime.run("lead", {});
  for (const said of ["only this once", "", "with care"]) {
    await toEnd(runtime, lead);
    await answer(runtime, lead, { approved: true, ...(said !== "" && { reason: said }) });
  }
  // The child asks the question, and the parent continues after the child's end.
  await toEnd(runtime, lead);
  assert.equal((await answerToEnd(runtime, lead, { text: "red" })).status, "success");
  const results = (await resultsOf(runtime, lead)).map((one) => String(one["content"]).split("\n"));
  assert.deepEqual(results.map((lines) => lines.slice(1)), [
    ["The user approved this and said: only this once"],
    [],
    ["The user approved this and said: with care"],
  ]);
  assert.match(results[0]?.[0] ?? "", /^Created/);
  assert.match(results[1]?.[0] ?? "", /^Error: /);
  assert.equal(JSON.parse(results[2]?.[0] ?? "").output, "Said red");

  await Deno.writeTextFile(join(place.workspace, "in.txt"), "in");
  const three = doing(write("1"), call("file_read", { path: "in.txt" }), write("2"));
  await place.writeScript("mixed", three);
  const { id: mixed } = await runToEnd(runtime, "mixed");
  const first = await runtime.pendingRequest(mixed);
  assert.equal(first.toolArgs["path"], "1");
  await answerToEnd(runtime, mixed, { approved: true });
  const second = await runtime.pendingRequest(mixed);
  assert.equal(second.toolArgs["path"], "2");
  assert.equal(await exists(join(place.workspace, "1")), true);
  assert.equal(await exists(join(place.workspace, "2")), false);
  // An answer to the first question is not accepted for the second one.
  await assert.rejects(
    runtime.respond(mixed, { requestId: first.requestId, answer: { approved: true } }),
    /older request/,
  );
  assert.equal((await answerToEnd(runtime, mixed, { approved: false })).status, "success");
  const names = (await resultsOf(runtime, mixed)).map((one) => one["tool_name"]);
  assert.deepEqual(names, ["file_write", "file_read", "file_write"], "in the order of the calls");
});

Deno.test("a program answers questions of ask_user, and approvals only if config.yaml allows it", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", ASKING);
  await place.writeScript("writer", [{ call: [write("a.txt")] }, { say: "Done." }]);
  const by = { via: "program" } as const;
  const give = async (runtime: Runtime, id: number, answer: HumanAnswer) =>
    await runtime.respond(id, {
      requestId: (await runtime.pendingRequest(id)).requestId,
      answer,
      by,
    });
  let writer: number;
  {
    await using runtime = await place.open();
    const { id: asker } = await runToEnd(runtime, "asker");
    await give(runtime, asker, { text: "red" });
    assert.equal((await toEnd(runtime, asker)).status, "success");
    const places = (await payloadsOf(runtime, asker)).flatMap((one) => one["answered_via"] ?? []);
    assert.deepEqual(places, ["program"]);
    ({ id: writer } = await runToEnd(runtime, "writer"));
    const approved = give(runtime, writer, { approved: true });
    await assert.rejects(approved, { name: "AnswerForbidden", code: "forbidden" });
    await assert.rejects(give(runtime, writer, { approved: false }), { name: "AnswerForbidden" });
    assert.equal((await runtime.getExecution(writer)).status, "waiting");
    assert.equal(await exists(join(place.workspace, "a.txt")), false);
  }
  const allowed = "expose: { respond: true }\n";
  await Deno.writeTextFile(join(place.configDir, "config.yaml"), allowed, { append: true });
  await using runtime = await place.open();
  await give(runtime, writer, { approved: true });
  assert.equal((await toEnd(runtime, writer)).status, "success");
  assert.equal(await exists(join(place.workspace, "a.txt")), true);
});

Deno.test("mayProgramAnswer() never allows a sign-in or a budget without the setting", () => {
  const cases = [
    [{ toolName: "ask_user" }, true, true],
    [{ toolName: "ask_user", isGuard: true }, false, true],
    [{ toolName: "ask_user", raise: {} }, false, true],
    [{ toolName: "budget", raise: {} }, false, true],
    [{ toolName: "server_tool" }, false, true],
    [{ toolName: "sign_in" }, false, false],
  ] as const;
  for (const [question, plain, allowed] of cases) {
    assert.equal(mayProgramAnswer(question, { respond: false }), plain);
    assert.equal(mayProgramAnswer(question, { respond: true }), allowed);
  }
});

Deno.test("answers and remarks may contain any text, and show no secret", async () => {
  await using place = await createTestWorkspace({ shell: { MY_TOKEN: "supersecretvalue1" } });
  await Deno.writeTextFile(join(place.workspace, "long.txt"), `${"x".repeat(900)}\n`.repeat(300));
  const steps = [{ call: [call("file_read", { path: "long.txt" })] }, { say: "Done." }];
  await place.writeScript("reader", steps, "confirm: [file_read]");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "reader");
  await answerToEnd(runtime, id, { approved: true, reason: "y".repeat(120_000) });
  const [result] = (await payloadsOf(runtime, id)).filter((one) => "is_error" in one);
  const content = String(result?.["content"]);
  assert.ok(new TextEncoder().encode(content).length <= (fileRead.maxResultBytes ?? 0));
  const [cut, said] = content.split("\n").slice(-2);
  assert.match(cut ?? "", /^\[The result is cut here: /);
  assert.match(said ?? "", /^The user approved this and said: y+ \[cut here\]$/);

  await place.writeScript("asker", ASKING, "auto_approve: '*'");
  const long = "y".repeat(150_000);
  for (const text of ["", "🙂 \0 \ud800 \n\u2028", long]) {
    const { id } = await runtime.run("asker", {});
    assert.equal((await toEnd(runtime, id)).status, "waiting", "auto_approve answers no question");
    assert.equal((await answerToEnd(runtime, id, { text })).status, "success");
    const frames = await payloadsOf(runtime, id);
    const told = frames.filter((one) => one["event_type"] === "human").at(-1);
    assert.equal(told?.["content"], text);
    const result = frames.find((one) => one["event_type"] === "tool_result");
    assert.equal(result?.["is_error"], false);
    const read = String(result?.["content"]);
    assert.ok(text === long ? read.includes("[The result is cut here") : read === text);
    assert.ok(read.length <= 102_400);
  }

  await place.writeScript("odd", [{ say: "a\0b\ud800c 🙂" }]);
  await place.writeScript("failing", [{ fail: "no\0 more" }]);
  const { id: odd } = await runtime.run("odd", {});
  const ended = await toEnd(runtime, odd);
  const final = (await payloadsOf(runtime, odd)).find((one) =>
    one["event_type"] === "final_answer"
  );
  assert.equal(ended.outputData, "a\uFFFDb\uFFFDc 🙂");
  assert.equal(final?.["content"], ended.outputData);
  const failed = await runToEnd(runtime, "failing");
  assert.match(failed.error ?? "", /no\uFFFD more/);

  const options = ["supersecretvalue1", "b"];
  await place.writeScript("chooser", [
    { call: [call("ask_user", { question: "Which?", options })] },
    { say: "Took {result}" },
  ]);
  const { id: chooser } = await runToEnd(runtime, "chooser");
  const shown = (await runtime.pendingRequest(chooser)).options ?? [];
  assert.deepEqual(shown, ["[redacted:MY_TOKEN]", "b"]);
  const message = '"c" is not among the options: "[redacted:MY_TOKEN]", "b"';
  await assert.rejects(answer(runtime, chooser, { selected: ["c"] }), { message });
  const output = (await answerToEnd(runtime, chooser, { selected: shown.slice(0, 1) })).outputData;
  assert.equal(output, "Took [redacted:MY_TOKEN]");
  const seen = place.logged.map((line) => JSON.stringify(line)).join();
  assert.ok(!seen.includes("supersecretvalue1"));
});

Deno.test("confirm_timeout denies, even if the service was down at the deadline", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [write("a.txt")] }, { say: "Then not." }];
  await place.writeScript("writer", steps, "confirm_timeout: 20s");
  // The deadline of this agent's question is later than the deadlines of the following questions.
  await place.writeScript("late", ASKING, "confirm_timeout: 10m");
  const clock = new TestClock();
  const deniedOf = async (runtime: Runtime, id: number) =>
    (await resultsOf(runtime, id))[0]?.["content"];
  let over: number;
  {
    await using runtime = await place.open({ clock });
    await runToEnd(runtime, "late");
    const { id } = await runToEnd(runtime, "writer");
    assert.equal((await runtime.pendingRequest(id)).expiresAt, clock.now() + 20_000);
    await until(() => clock.awaits(20_000), "the watch over deadlines");
    await clock.advance(19_000);
    assert.equal((await runtime.getExecution(id)).status, "waiting");
    await clock.advance(1_000);
    const denied = async () => (await runtime.getExecution(id)).status === "success";
    await until(denied, "the end of the first run");
    assert.equal(await deniedOf(runtime, id), "Action denied by user (timeout)");
    const places = (await payloadsOf(runtime, id)).flatMap((one) => one["answered_via"] ?? []);
    assert.deepEqual(places, ["nobody"]);
    ({ id: over } = await runtime.run("writer", {}));
    await toEnd(runtime, over);
  }
  clock.jump(300_000);
  await using runtime = await place.open({ clock });
  const ended = async () => (await runtime.getExecution(over)).status === "success";
  await until(ended, "the end of the second run");
  assert.equal(await deniedOf(runtime, over), "Action denied by user (timeout)");
});

Deno.test("answers of the wrong kind change nothing, and answers to deleted agents end the run", async () => {
  await using on = await started("writer", [{ call: [write("a.txt")] }, { say: "Done." }]);
  const { id, place, runtime } = on;
  const { requestId } = await runtime.pendingRequest(id);
  await assert.rejects(answer(runtime, id, { text: "yes" }), /wants `approved`/);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
  assert.equal(await runtime.cancel(id), "aborted");
  assert.equal((await toEnd(runtime, id)).error, "Cancelled by user");
  await assert.rejects(runtime.pendingRequest(id), /No pending request/);
  const late = runtime.respond(id, { requestId, answer: { approved: true } });
  await assert.rejects(late, /does not wait/);
  const stray = runtime.respond(99, { requestId, answer: { approved: true } });
  await assert.rejects(stray, /Execution not found/);
  await assert.rejects(runtime.cancel(99), /Execution not found/);

  const orphan = await runToEnd(runtime, "writer");
  await Deno.remove(join(place.agentsDir, "writer.md"));
  await runtime.reloadAgents();
  const ended = await answerToEnd(runtime, orphan.id, { approved: true });
  assert.deepEqual([ended.status, ended.error], ["error", "Agent 'writer' no longer exists"]);
});

const ASKING = [ASK, { say: "Done." }];

Deno.test("a read-only runtime shows a question and refuses answers, cancels and purges", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", ASKING);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "asker");
  await using reader = await place.open({ mode: "read-only" });
  const { requestId, message } = await reader.pendingRequest(id);
  assert.equal(message, "Which?");
  assert.equal((await toEnd(reader, id)).status, "waiting");
  const response = reader.respond(id, { requestId, answer: { text: "yes" } });
  await assert.rejects(response, /No service is running/);
  await assert.rejects(reader.cancel(id), /No service is running/);
  await assert.rejects(reader.run("asker", {}), /start one to run agents/);
  await assert.rejects(reader.purgeCheckpoints({ force: true }), /No service is running/);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
});

const free = { options: null, multi: false };
const confirm: ToolQuestion = { kind: "confirm", message: "Sure?", ...free };
const input: ToolQuestion = { kind: "input", message: "Who?", ...free };
const one: ToolQuestion = { ...free, kind: "choice", message: "Which?", options: ["x", "y"] };
const several: ToolQuestion = { ...one, multi: true };

Deno.test("checkAnswer() accepts an expiry and an answer of the question's kind only", () => {
  const rows: [ToolQuestion, HumanAnswer, misfit?: string][] = [
    [confirm, { approved: true }],
    [confirm, { approved: false, reason: "no" }],
    [input, { text: "" }],
    [one, { selected: ["y"] }],
    [several, { selected: ["y", "x"] }],
    [confirm, { text: "yes" }, "This request wants `approved`: true or false"],
    [input, { approved: true }, "This request wants `text`"],
    [one, { text: "x" }, 'This request wants `selected`: of "x", "y"'],
    [one, { selected: [] }, 'Select at least one of "x", "y"'],
    [one, { selected: ["x", "y"] }, 'Select one of "x", "y", not 2'],
    [several, { selected: ["x", "z"] }, '"z" is not among the options: "x", "y"'],
    [several, { selected: ["x", "y", "x"] }, '"x" is selected twice'],
    [one, { selected: ["y", "y"] }, '"y" is selected twice'],
  ];
  for (const [question, answer, misfit] of rows) {
    checkAnswer(question, { expired: true });
    if (misfit === undefined) checkAnswer(question, answer);
    else assert.throws(() => checkAnswer(question, answer), new AnswerMisfit(misfit));
  }
});
