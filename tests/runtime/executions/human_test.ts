import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/runtime.ts";
import { fileRead } from "../../../runtime/tools/builtin/file_read.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { answer } from "./executions_of.ts";

const call = (name: string, args: unknown) => ({ name, arguments: args });
const write = (path: string) => call("file_write", { path, content: path });

/** Follows an execution until it waits or has ended. */
async function rest(runtime: Runtime, id: number) {
  const signal = new AbortController().signal;
  let last = "";
  for await (const item of await runtime.follow(id, { after: 0, signal })) last = item.type;
  return { ...await runtime.getExecution(id), last };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("a guarded call waits for a person; approved it runs, and the run goes on", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("writer", [{ say: "Writing.", call: [write("a.txt")] }, {
    say: "Done.",
  }]);
  await using runtime = await place.open();
  const { id } = await runtime.run("writer", {});
  const waiting = await rest(runtime, id);
  assert.deepEqual([waiting.status, waiting.last], ["waiting", "waiting"]);
  assert.equal(waiting.finishedAt, null);
  const request = await runtime.pendingRequest(id);
  assert.deepEqual(
    [request.kind, request.toolName, request.toolArgs, request.expiresAt],
    ["confirm", "file_write", { path: "a.txt", content: "a.txt" }, null],
  );
  assert.equal(await exists(join(place.workspace, "a.txt")), false);

  await answer(runtime, id, { approved: true });
  const ended = await rest(runtime, id);
  assert.deepEqual([ended.status, ended.outputData], ["success", "Done."]);
  assert.equal(await Deno.readTextFile(join(place.workspace, "a.txt")), "a.txt");
  const types = (await payloadsOf(runtime, id)).map((one) => one["event_type"]);
  assert.deepEqual(types, [
    "execution_info",
    "system",
    "human",
    "tool_call",
    "stats",
    "interrupt",
    "human",
    "tool_result",
    "ai",
    "stats",
    "final_answer",
    "complete",
  ]);
});

Deno.test("what is said with an approval stands behind the result, of a call that works, fails, or delegates", async () => {
  await using place = await createTestWorkspace();
  const calls = [
    write("a.txt"),
    call("file_delete", { path: "none.txt" }),
    call("run_agent", { agent_id: "asker" }),
  ];
  await place.writeScript(
    "lead",
    [{ call: calls }, { say: "Done." }],
    "confirm: [file_write, file_delete, run_agent]\nagents: [asker]",
  );
  await place.writeScript("asker", [
    { call: [call("ask_user", { question: "Which?" })] },
    { say: "Said {result}" },
  ]);
  await using runtime = await place.open();
  const { id } = await runtime.run("lead", {});
  for (const said of ["only this once", "", "with care"]) {
    await rest(runtime, id);
    await answer(runtime, id, { approved: true, ...(said !== "" && { reason: said }) });
  }
  // The child asks; the parent takes its call up anew.
  await rest(runtime, id);
  await answer(runtime, id, { text: "red" });
  assert.equal((await rest(runtime, id)).status, "success");
  const results = (await payloadsOf(runtime, id)).filter((one) =>
    one["event_type"] === "tool_result"
  ).map((one) => String(one["content"]).split("\n"));
  assert.deepEqual(results.map((lines) => lines.slice(1)), [
    ["The user approved this and said: only this once"],
    [],
    ["The user approved this and said: with care"],
  ]);
  assert.match(results[0]?.[0] ?? "", /^Created/);
  assert.match(results[1]?.[0] ?? "", /^Error: /);
  assert.equal(JSON.parse(results[2]?.[0] ?? "").output, "Said red");
});

Deno.test("a result ends with what was said within the limit of results, however much both are", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.workspace, "long.txt"), `${"x".repeat(900)}\n`.repeat(300));
  await place.writeScript(
    "reader",
    [{ call: [call("file_read", { path: "long.txt" })] }, { say: "Done." }],
    "confirm: [file_read]",
  );
  await using runtime = await place.open();
  const { id } = await runtime.run("reader", {});
  await rest(runtime, id);
  await answer(runtime, id, { approved: true, reason: "y".repeat(200_000) });
  await rest(runtime, id);
  const [result] = (await payloadsOf(runtime, id)).filter((one) => "is_error" in one);
  const content = String(result?.["content"]);
  assert.ok(new TextEncoder().encode(content).length <= (fileRead.maxResultBytes ?? 0));
  const [cut, said] = content.split("\n").slice(-2);
  assert.match(cut ?? "", /^\[The result is cut here: /);
  assert.match(said ?? "", /^The user approved this and said: y+ \[cut here\]$/);
});

Deno.test("an option that holds a secret is chosen as it is shown; a refusal shows no secret either", async () => {
  await using place = await createTestWorkspace({ shell: { MY_TOKEN: "supersecretvalue1" } });
  const options = ["supersecretvalue1", "b"];
  await place.writeScript("chooser", [
    { call: [call("ask_user", { question: "Which?", options })] },
    { say: "Took {result}" },
  ]);
  await using runtime = await place.open();
  const { id } = await runtime.run("chooser", {});
  await rest(runtime, id);
  const shown = (await runtime.pendingRequest(id)).options ?? [];
  assert.deepEqual(shown, ["[redacted:MY_TOKEN]", "b"]);
  await assert.rejects(answer(runtime, id, { selected: ["c"] }), {
    message: '"c" is not among the options: "[redacted:MY_TOKEN]", "b"',
  });
  await answer(runtime, id, { selected: shown.slice(0, 1) });
  assert.equal((await rest(runtime, id)).outputData, "Took [redacted:MY_TOKEN]");
  const seen = place.logged.map((line) => JSON.stringify(line)).join();
  assert.ok(!seen.includes("supersecretvalue1"));
});

Deno.test("of one reply the free calls run at once, the guarded ones are asked one after the other", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.workspace, "in.txt"), "in");
  await place.writeScript("mixed", [
    { call: [write("1"), call("file_read", { path: "in.txt" }), write("2")] },
    { say: "Done." },
  ]);
  await using runtime = await place.open();
  const { id } = await runtime.run("mixed", {});
  await rest(runtime, id);
  const first = await runtime.pendingRequest(id);
  assert.equal(first.toolArgs["path"], "1");
  await answer(runtime, id, { approved: true });
  await rest(runtime, id);
  const second = await runtime.pendingRequest(id);
  assert.equal(second.toolArgs["path"], "2");
  assert.equal(await exists(join(place.workspace, "1")), true);
  assert.equal(await exists(join(place.workspace, "2")), false);
  // An answer to the first question does not reach the second.
  await assert.rejects(
    runtime.respond(id, { requestId: first.requestId, answer: { approved: true } }),
    /older request/,
  );
  await answer(runtime, id, { approved: false });
  assert.equal((await rest(runtime, id)).status, "success");
  const results = (await payloadsOf(runtime, id))
    .filter((one) => one["event_type"] === "tool_result").map((one) => one["tool_name"]);
  assert.deepEqual(results, ["file_write", "file_read", "file_write"], "in the order of the calls");
});

Deno.test("of 50 concurrent equal answers one counts and the call runs once", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("mover", [
    { call: [call("file_move", { source: "a.txt", destination: "b.txt" })] },
    { say: "Done." },
  ], "confirm: [file_move]");
  await Deno.writeTextFile(join(place.workspace, "a.txt"), "a");
  await using runtime = await place.open();
  const { id } = await runtime.run("mover", {});
  await rest(runtime, id);
  const { requestId } = await runtime.pendingRequest(id);
  const answers = await Promise.allSettled(Array.from(
    { length: 50 },
    () => runtime.respond(id, { requestId, answer: { approved: true } }),
  ));
  assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal((await rest(runtime, id)).status, "success");
  const results = (await payloadsOf(runtime, id)).filter((one) =>
    one["event_type"] === "tool_result"
  );
  assert.deepEqual(results.map((one) => one["is_error"]), [false]);
});

Deno.test("confirm_timeout denies, also when the service was down over the deadline", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript(
    "writer",
    [{ call: [write("a.txt")] }, { say: "Then not." }],
    "confirm_timeout: 2m",
  );
  const clock = new TestClock();
  const deniedOf = async (runtime: Runtime, id: number) =>
    (await payloadsOf(runtime, id)).find((one) => one["event_type"] === "tool_result")?.["content"];
  let over: number;
  {
    await using runtime = await place.open({ clock });
    const { id } = await runtime.run("writer", {});
    await rest(runtime, id);
    assert.equal((await runtime.pendingRequest(id)).expiresAt, clock.now() + 120_000);
    await until(() => clock.awaits(60_000), "the watch over deadlines");
    await clock.advance(119_000);
    assert.equal((await runtime.getExecution(id)).status, "waiting");
    await clock.advance(1_000);
    const denied = async () => (await runtime.getExecution(id)).status === "success";
    await until(denied, "the end of the first run");
    assert.equal(await deniedOf(runtime, id), "Action denied by user (timeout)");
    ({ id: over } = await runtime.run("writer", {}));
    await rest(runtime, over);
  }
  clock.jump(300_000);
  await using runtime = await place.open({ clock });
  const ended = async () => (await runtime.getExecution(over)).status === "success";
  await until(ended, "the end of the second run");
  assert.equal(await deniedOf(runtime, over), "Action denied by user (timeout)");
});

Deno.test("cancelling a waiting execution aborts it at once, and its question is gone", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("writer", [{ call: [write("a.txt")] }, { say: "Done." }]);
  await using runtime = await place.open();
  const { id } = await runtime.run("writer", {});
  await rest(runtime, id);
  const { requestId } = await runtime.pendingRequest(id);
  assert.equal(await runtime.cancel(id), "aborted");
  const ended = await rest(runtime, id);
  assert.deepEqual([ended.status, ended.error], ["aborted", "Cancelled by user"]);
  await assert.rejects(runtime.pendingRequest(id), /No pending request/);
  await assert.rejects(
    runtime.respond(id, { requestId, answer: { approved: true } }),
    /does not wait/,
  );
});

Deno.test("a waiting execution whose agent is gone ends as error when it is answered", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("writer", [{ call: [write("a.txt")] }, { say: "Done." }]);
  await using runtime = await place.open();
  const { id } = await runtime.run("writer", {});
  await rest(runtime, id);
  await Deno.remove(join(place.agentsDir, "writer.md"));
  await runtime.reloadAgents();
  await answer(runtime, id, { approved: true });
  const ended = await rest(runtime, id);
  assert.deepEqual([ended.status, ended.error], ["error", "Agent 'writer' no longer exists"]);
});

const ASKING = [
  { call: [call("ask_user", { question: "Well?" })] },
  { say: "Done." },
];

Deno.test("an answer may be empty or of any text; what is too long for a result is cut for the model", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", ASKING, "auto_approve: '*'");
  await using runtime = await place.open();
  const long = "y".repeat(500_000);
  for (const text of ["", "🙂 \0 \ud800 \n\u2028", long]) {
    const { id } = await runtime.run("asker", {});
    assert.equal((await rest(runtime, id)).status, "waiting", "auto_approve answers no question");
    await answer(runtime, id, { text });
    assert.equal((await rest(runtime, id)).status, "success");
    const frames = await payloadsOf(runtime, id);
    const told = frames.filter((one) => one["event_type"] === "human").at(-1);
    assert.equal(told?.["content"], text);
    const result = frames.find((one) => one["event_type"] === "tool_result");
    assert.equal(result?.["is_error"], false);
    const read = String(result?.["content"]);
    assert.ok(text === long ? read.includes("[The result is cut here") : read === text);
    assert.ok(read.length <= 102_400);
  }
});

Deno.test("an answer of the model that no column can hold is the same in output_data and final_answer", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("odd", [{ say: "a\0b\ud800c 🙂" }]);
  await place.writeScript("failing", [{ fail: "no\0 more" }]);
  await using runtime = await place.open();
  const { id } = await runtime.run("odd", {});
  const ended = await rest(runtime, id);
  const final = (await payloadsOf(runtime, id)).find((one) => one["event_type"] === "final_answer");
  assert.equal(ended.outputData, "a\uFFFDb\uFFFDc 🙂");
  assert.equal(final?.["content"], ended.outputData);
  const failed = await rest(runtime, (await runtime.run("failing", {})).id);
  assert.match(failed.error ?? "", /no\uFFFD more/);
});

Deno.test("a runtime that only looks shows a question and takes no answer, no cancel and no purge", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", ASKING);
  await using runtime = await place.open();
  const { id } = await runtime.run("asker", {});
  await rest(runtime, id);
  await using reader = await place.open({ mode: "read-only" });
  const { requestId, message } = await reader.pendingRequest(id);
  assert.equal(message, "Well?");
  assert.equal((await rest(reader, id)).last, "waiting");
  for (
    const change of [
      () => reader.respond(id, { requestId, answer: { text: "yes" } }),
      () => reader.cancel(id),
      () => reader.purgeCheckpoints({ force: true }),
    ]
  ) {
    await assert.rejects(change, /No service is running/);
  }
  assert.equal((await runtime.getExecution(id)).status, "waiting");
});

Deno.test("a forced purge and an answer at once: one of them counts, and no run loses its conversation", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", [
    ...ASKING.slice(0, 1),
    { say: "Done.", delay_ms: 600_000 },
  ]);
  await using runtime = await place.open({ clock: new TestClock() });
  const seen = new Set<string>();
  for (let round = 0; round < 20; round++) {
    const { id } = await runtime.run("asker", {});
    await rest(runtime, id);
    const { requestId } = await runtime.pendingRequest(id);
    const answer = () => runtime.respond(id, { requestId, answer: { text: "yes" } });
    const purge = () => runtime.purgeCheckpoints({ force: true });
    // Either begins first, and the other ever later behind it.
    const isAnswerFirst = round % 2 === 0;
    const first = isAnswerFirst ? answer() : purge();
    // An answer looks first whether config.yaml has changed, which takes turns of the system.
    for (let turn = 0; turn < round / 2; turn++) {
      await (isAnswerFirst ? Deno.lstat(place.root) : Promise.resolve());
    }
    const second = isAnswerFirst ? purge() : answer();
    const outcomes = await Promise.allSettled([first, second]);
    const [answered, purged] = isAnswerFirst ? outcomes : outcomes.toReversed();
    const { status, error } = await runtime.getExecution(id);
    seen.add(status);
    const { threads } = await runtime.checkpointStats();
    assert.deepEqual(
      [status, error, purged, answered?.status, threads],
      status === "running"
        ? ["running", null, { status: "fulfilled", value: 0 }, "fulfilled", 1]
        : [
          "aborted",
          "Aborted: its conversation was purged",
          {
            status: "fulfilled",
            value: 1,
          },
          "rejected",
          0,
        ],
    );
    await runtime.cancel(id);
    await rest(runtime, id);
    await runtime.purgeCheckpoints({ force: true });
  }
  assert.deepEqual([...seen].sort(), ["aborted", "running"], "both came first once");
});
