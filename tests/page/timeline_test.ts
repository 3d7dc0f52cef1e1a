import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../base/json.ts";
import { buildTimeline, describeLatest, type Entry } from "../../page/state/timeline.ts";

/** The time of every entry. */
const AT = Date.UTC(2026, 0, 1);

const entries = (...payloads: JsonObject[]): Entry[] =>
  payloads.map((payload, index) => ({
    id: index + 1,
    payload: { timestamp: new Date(AT).toISOString(), message: "", ...payload },
  }));

/** Returns the steps without the fields that have the same value in every step. */
const stepsOf = (...payloads: JsonObject[]) =>
  buildTimeline(entries(...payloads)).map(({ id: _id, at: _at, ...step }) => step);

Deno.test("buildTimeline() adds results to their calls, and usage to the replies", () => {
  const stats = (input: number, output: number, cost: number | null) => ({
    event_type: "stats",
    input_tokens: input,
    output_tokens: output,
    cost_usd: cost,
  });
  const call = (id: string, name: string) => ({ id, name, args: "{}" });
  const result = (id: string, content: string, isError = false) => ({
    event_type: "tool_result",
    tool_call_id: id,
    content,
    is_error: isError,
    duration_ms: 5,
  });
  const steps = stepsOf(
    { event_type: "tool_call", content: "Both.", tools: [call("1", "a"), call("2", "run_agent")] },
    stats(100, 10, 0.5),
    result("2", '{"execution_id":7,"status":"success"}'),
    result("1", "Error: no", true),
    { event_type: "ai", content: "Done" },
    stats(250, 30, 0.75),
    { event_type: "final_answer", content: "Done" },
    { event_type: "complete", status: "success", error: null },
  );
  assert.deepEqual(steps.map(({ kind }) => kind), ["reply", "answer", "end"]);
  const [reply, answer] = steps;
  assert.ok(reply?.kind === "reply" && answer?.kind === "answer");
  assert.deepEqual(reply.calls.map((one) => [one.name, one.result?.content, one.childId]), [
    ["a", "Error: no", null],
    ["run_agent", '{"execution_id":7,"status":"success"}', 7],
  ]);
  assert.equal(reply.calls[0]?.result?.isError, true);
  assert.deepEqual(reply.usage, { inputTokens: 100, outputTokens: 10, costUsd: 0.5 });
  assert.deepEqual([reply.number, answer.number], [1, 2], "as a fork counts them");
  assert.deepEqual(answer.usage, { inputTokens: 150, outputTokens: 20, costUsd: 0.25 });
});

const really = {
  kind: "question",
  requestId: "",
  text: "Really?",
  toolName: "file_delete",
  args: {},
  answer: null,
};

Deno.test("buildTimeline() adds a person's answer to its question", () => {
  const steps = stepsOf(
    { event_type: "human", content: "Do it" },
    { event_type: "interrupt", message: "Really?", tool_name: "file_delete" },
    { event_type: "human", content: "Approved", answered_via: "chat", answered_by: "owner" },
    { event_type: "interrupt", message: "And this?", tool_name: "ask_user" },
  );
  assert.deepEqual(steps, [
    { kind: "prompt", role: "user", text: "Do it", number: 0 },
    { ...really, answer: "Approved", answeredAt: AT, place: "by owner in a chat app" },
    { ...really, text: "And this?", toolName: "ask_user" },
  ]);
});

Deno.test("buildTimeline() keeps the arguments that an answer changed, without the lines for the terminal", () => {
  const [question] = stepsOf(
    { event_type: "interrupt", message: "Really?", tool_name: "file_delete", tool_args: { a: 1 } },
    {
      event_type: "human",
      content: "Approved: better so\nWith other arguments:\n  a: 2",
      arguments: { a: 2 },
    },
  );
  const answer = "Approved: better so";
  assert.deepEqual(question, {
    ...really,
    args: { a: 1 },
    answer,
    answeredAt: AT,
    changed: { a: 2 },
  });
});

Deno.test("buildTimeline() finds an answer's question by id, and lists questions once", () => {
  const asked = (request_id: string, message: string) => ({
    event_type: "interrupt",
    tool_name: "file_delete",
    request_id,
    message,
  });
  const said = (request_id: string, content: string) => ({
    event_type: "human",
    request_id,
    content,
  });
  const steps = stepsOf(
    ...[asked("a", "Really?"), asked("b", "And this?"), said("a", "Denied"), asked("b", "Again?")],
    ...[said("c", "To nothing here"), said("b", "Approved")],
  );
  assert.deepEqual(steps, [
    { ...really, requestId: "a", answer: "Denied", answeredAt: AT },
    { ...really, requestId: "b", text: "And this?", answer: "Approved", answeredAt: AT },
    { kind: "prompt", role: "user", text: "To nothing here", number: null },
  ]);
});

Deno.test("buildTimeline() adds each result to its call if two replies use the same id", () => {
  const call = { event_type: "tool_call", tools: [{ id: "x", name: "a", args: "" }] };
  const result = (content: string) => ({ event_type: "tool_result", tool_call_id: "x", content });
  const steps = stepsOf(call, result("first"), call, result("second"), result("of nobody"));
  const results = steps.flatMap((step) => step.kind === "reply" ? step.calls : [])
    .map((one) => one.result?.content);
  assert.deepEqual(results, ["first", "second"]);
});

Deno.test("describeLatest() reports a retry until the retry starts", () => {
  const notice = (content: string) => ({ event_type: "meta", kind: "notice", content });
  const waits = { ...notice("Tries again at 08:10 (1 of 3): Cannot reach openai"), pauses: true };
  const latest = (...payloads: JsonObject[]) => describeLatest(buildTimeline(entries(...payloads)));
  assert.equal(latest(waits), waits.content);
  assert.equal(latest(waits, notice("Try 1 of 3")), "Waiting for the model");
});

Deno.test("buildTimeline() marks reasoning", () => {
  const [step] = stepsOf({ event_type: "meta", kind: "reasoning", content: "So.\nThen." });
  assert.equal(step?.kind === "notice" && step.text, "Reasoning: So.\nThen.");
});

Deno.test("buildTimeline() accepts any values in a frame", () => {
  const types = ["system", "human", "ai", "tool_call", "tool_result", "stats", "interrupt"];
  const payload = fc.record({
    event_type: fc.constantFrom(...types, "meta", "final_answer", "complete", "odd"),
    content: fc.jsonValue(),
    message: fc.jsonValue(),
    tools: fc.jsonValue(),
    input_tokens: fc.jsonValue(),
    cost_usd: fc.jsonValue(),
    tool_call_id: fc.constantFrom("", "1"),
  });
  fc.assert(fc.property(fc.array(payload), (payloads) => {
    const steps = buildTimeline(entries(...payloads as JsonObject[]));
    assert.ok(steps.length <= payloads.length * 2);
    describeLatest(steps);
  }));
});
