// Tests forks: the first steps are copied, their calls are not repeated, and the run continues with real calls.
import assert from "node:assert/strict";
import { join } from "node:path";
import { withoutIdsAndTimes } from "../../../runtime/replay/log_comparison.ts";
import type { Frame } from "../../../runtime/events/frame.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { assertIdentical } from "./replayed.ts";
import { answerToEnd, call, doing, FREE, started } from "../executions/executions_of.ts";

const witness = (section: string) => call("memory_append", { section, content: "called" });

/** A script of four replies. Three of them call the server `witness`, which leaves a trace. */
const STEPS = [
  { say: "One.", call: [witness("one")] },
  { call: [witness("two"), call("ask_user", { question: "Well?" }), call("none", {})] },
  { call: [witness("three")] },
  { say: "Done." },
];

async function forked(
  runtime: Runtime,
  id: number,
  request: Parameters<Runtime["replays"]["fork"]>[1],
) {
  const { id: forkId } = await runtime.replays.fork(id, request);
  let detail = await toEnd(runtime, forkId);
  if (detail.status === "waiting") detail = await answerToEnd(runtime, forkId, { text: "Again" });
  return detail;
}

Deno.test("fork() at every step copies the steps and repeats none of their calls", async () => {
  await using on = await started("worker", STEPS, FREE);
  const { place, runtime, id } = on;
  await answerToEnd(runtime, id, { text: "Well." });
  const memory = join(place.agentsDir, "worker.memory.md");
  const calledOf = async () => {
    const text = await Deno.readTextFile(memory);
    return ["one", "two", "three"].map((section) =>
      (new RegExp(`# ${section}\\n([^#]*)`).exec(text)?.[1] ?? "").split("called").length - 1
    );
  };
  let expected = [1, 1, 1];
  assert.deepEqual(await calledOf(), expected);
  const recorded = (await runtime.readFrames(id, { after: 0 })).filter(isTold);
  for (const step of [0, 1, 2, 3]) {
    const fork = await forked(runtime, id, { step });
    assert.equal(fork.status, "success", fork.error ?? "");
    assert.equal(fork.trigger, "manual");
    assert.deepEqual(fork.forkedFrom, { executionId: id, step });
    expected = expected.map((count, index) => count + (index >= step ? 1 : 0));
    assert.deepEqual(await calledOf(), expected, `behind step ${step}`);
    const frames = (await runtime.readFrames(fork.id, { after: 0 })).filter(isTold);
    const end = prefixLength(recorded, step);
    assert.deepEqual(
      frames.slice(0, end).map(({ payload }) => withoutIdsAndTimes(payload)),
      recorded.slice(0, end).map(({ payload }) => withoutIdsAndTimes(payload)),
    );
    await assertIdentical(runtime, fork.id);
  }
});

/** Returns true for a frame that a fork copies. A fork has its own first frame and no cost of the copied steps. */
function isTold({ payload }: Frame): boolean {
  return !["execution_info", "stats"].includes(JSON.parse(payload).event_type);
}

function prefixLength(frames: readonly Frame[], step: number): number {
  const replies = frames.flatMap(({ event }, index) =>
    event === "ai" || event === "tool_call" ? [index] : []
  );
  return replies[step] ?? frames.length;
}

Deno.test("fork() replaces the message, the model or the agent file, and keeps the rest", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("worker", [{ call: [witness("one")] }, { say: "Done." }], FREE);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "worker", { message: "Go" });
  const later = await forked(runtime, id, { message: '```demo\n[{"say":"Heard."}]\n```' });
  assert.deepEqual([later.outputData, later.forkedFrom?.step], ["Heard.", 2]);
  await assertIdentical(runtime, later.id);
  const message = '```demo\n[{"say":"Instead."}]\n```';
  const instead = await forked(runtime, id, { step: 0, message });
  assert.equal(instead.outputData, "Instead.");
  await assertIdentical(runtime, instead.id);
  // A name alone is a model of the agent's provider.
  const echo = await forked(runtime, id, { step: 0, model: "echo" });
  assert.deepEqual([echo.outputData, echo.model], ["Go", "demo/echo"]);
  await assertIdentical(runtime, echo.id);
  const agentText = "---\nmodel: { provider: demo, name: script }\n---\n```demo\n" +
    '[{ "call": [{ "name": "ask_user", "arguments": { "question": "Sure?" } }] }, { "say": "Other." }]\n```\n';
  const other = await forked(runtime, id, { step: 0, agentText });
  assert.equal(other.outputData, "Other.", "also behind an answer");
  await assertIdentical(runtime, other.id);
  // A fork of a fork keeps the changes of the first fork.
  const again = await forked(runtime, echo.id, { step: 0 });
  assert.deepEqual([again.outputData, again.model], ["Go", "demo/echo"]);

  const asking = doing(witness("one"), call("ask_user", { question: "Well?" }));
  await place.writeScript("renewed", asking, FREE);
  const { id: renewed } = await runToEnd(runtime, "renewed");
  // After the person's answer, the prompt is created again, as at the beginning of a fork.
  await answerToEnd(runtime, renewed, { text: "Well." });
  for (const step of [0, 1, 2]) {
    const fork = await forked(runtime, renewed, { step });
    assert.equal(fork.status, "success", fork.error ?? "");
    const prompts = (await runtime.readFrames(fork.id, { after: 0 }))
      .filter(({ payload }) => JSON.parse(payload).event_type === "system");
    assert.match(prompts.at(-1)?.payload ?? "", /Long-term memory: sections/);
    await assertIdentical(runtime, fork.id);
  }
});

Deno.test("fork() after the answer ends with that answer, and so does its replay", async () => {
  await using on = await started("worker", [{ call: [witness("one")] }, { say: "Done." }], FREE);
  const { place, runtime, id } = on;
  const fork = await forked(runtime, id, { step: 2 });
  assert.deepEqual([fork.status, fork.outputData], ["success", "Done."]);
  await assertIdentical(runtime, fork.id);
  // The fork has another prompt, although the answer was cut off or refused.
  for (const [n, stop] of ["length", "refusal"].entries()) {
    await place.writeScript(`cut_${n}`, [{ call: [witness("one")] }, { say: "Long", stop }], FREE);
    const cut = await runToEnd(runtime, `cut_${n}`);
    const again = await forked(runtime, cut.id, { step: 2 });
    assert.deepEqual([again.status, again.error], [cut.status, cut.error]);
    await assertIdentical(runtime, again.id);
  }
});

Deno.test("fork() is accepted once for each key, and refused without a step to copy", async () => {
  await using on = await started("worker", [{ say: "Done." }]);
  const { runtime, id } = on;
  const first = await runtime.replays.fork(id, { idempotencyKey: "k" });
  const second = await runtime.replays.fork(id, { idempotencyKey: "k" });
  assert.equal(second.id, first.id);
  await toEnd(runtime, first.id);
  await assert.rejects(
    runtime.replays.fork(id, { idempotencyKey: "k", message: "Other" }),
    /Idempotency-Key was used for a different run/,
  );
  await assert.rejects(runtime.replays.fork(id, { step: 2 }), /has no step 2: .* 0 .* to 1/);
  await assert.rejects(runtime.replays.fork(99, {}), /Execution not found/);
  await assert.rejects(runtime.replays.fork(id, { model: "demo/" }), /write provider\/name/);
  await assert.rejects(
    runtime.replays.fork(id, { agentText: "---\nmodel: 3\n---\nGo.\n" }),
    /The agent file cannot be used:\n.*worker\.md/,
  );
  await runtime.purgeCheckpoints({ force: true });
  await assert.rejects(runtime.replays.fork(id, {}), /its conversation is not stored/);
  const sentence = /its conversation is not stored/;
  await assert.rejects(runtime.replays.replay(id, { withAllTools: false }), sentence);
});
