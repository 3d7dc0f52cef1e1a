import assert from "node:assert/strict";
import type { Entry } from "../../page/state/timeline.ts";
import { divideTime, toSpans } from "../../page/state/waterfall.ts";

const START = Date.UTC(2026, 0, 1);

/** Returns a log entry for each payload; `at` is the time in seconds after the start. */
function entriesOf(payloads: ({ at: number } & Record<string, unknown>)[]): Entry[] {
  return payloads.map(({ at, ...payload }, index) => ({
    id: index + 1,
    payload: { timestamp: new Date(START + at * 1_000).toISOString(), ...payload },
  })) as Entry[];
}

Deno.test("toSpans() returns a span for each model call, tool, delegated run and wait", () => {
  const call = (id: string, name: string) => ({ id, name, args: "{}" });
  const result = (id: string, name: string, ms: number, more = {}) => ({
    event_type: "tool_result",
    tool_call_id: id,
    tool_name: name,
    content: "x",
    is_error: false,
    duration_ms: ms,
    ...more,
  });
  const spans = toSpans(
    entriesOf([
      {
        at: 2,
        event_type: "tool_call",
        content: "",
        tools: [call("a", "file_read"), call("b", "file_write")],
      },
      { at: 3, ...result("a", "file_read", 1_000) },
      { at: 3, event_type: "interrupt", request_id: "r", tool_name: "file_write", message: "?" },
      { at: 8, event_type: "human", request_id: "r", role: "user", content: "approved" },
      { at: 9, ...result("b", "file_write", 500, { is_error: true }) },
      { at: 12, event_type: "ai", content: "Done." },
    ]),
    START,
  );
  const shown = spans.map(({ kind, name, from, to, isError }) => [
    kind,
    name,
    (from - START) / 1_000,
    to === null ? null : (to - START) / 1_000,
    isError,
  ]);
  assert.deepEqual(shown, [
    ["model", "model", 0, 2, false],
    ["tool", "file_read", 2, 3, false],
    ["wait", "file_write", 3, 8, false],
    ["tool", "file_write", 8.5, 9, true],
    ["model", "model", 9, 12, false],
  ]);
});

Deno.test("toSpans() ends an unanswered wait at the end of its execution", () => {
  const asked = { at: 1, event_type: "interrupt", request_id: "r", message: "?" };
  const waitOf = (entries: Entry[]) => toSpans(entries, START).find(({ kind }) => kind === "wait");
  assert.equal(waitOf(entriesOf([asked]))?.to, null);
  const ended = entriesOf([asked, { at: 5, event_type: "complete", status: "aborted" }]);
  assert.equal(waitOf(ended)?.to, START + 5_000);
});

Deno.test("toSpans() omits the steps that a fork copied", () => {
  const read = { id: "a", name: "file_read", args: "{}" };
  const spans = toSpans(
    entriesOf([
      { at: -60, event_type: "tool_call", content: "", tools: [read] },
      { at: -58, event_type: "tool_result", tool_call_id: "a", content: "x", duration_ms: 900 },
      { at: 4, event_type: "ai", content: "Done." },
    ]),
    START,
  );
  assert.deepEqual(
    spans.map(({ name, from, to }) => [name, from - START, (to ?? 0) - START]),
    [["model", 0, 4_000]],
  );
});

Deno.test("divideTime() adds up to the time, and counts parallel spans once", () => {
  const span = (
    kind: "model" | "tool" | "delegated" | "wait",
    from: number,
    to: number | null,
  ) => ({
    ...{ kind, from, to, step: 1, name: "", subject: "", isError: false, childId: null },
  });
  const parts = divideTime(
    [
      span("model", 0, 1_000),
      span("delegated", 1_000, 4_000),
      span("delegated", 2_000, 5_000),
      span("wait", 4_500, 6_000),
      span("tool", 7_000, null),
    ],
    { from: 0, to: 8_000 },
  );
  assert.deepEqual(parts.map(({ kind, ms, count, together }) => [kind, ms, count, together]), [
    ["model", 1_000, 1, 1_000],
    ["tool", 1_000, 1, 1_000],
    ["delegated", 4_000, 2, 6_000],
    ["wait", 1_000, 1, 1_500],
    ["other", 1_000, 0, 0],
  ]);
  assert.equal(parts.reduce((sum, { ms }) => sum + ms, 0), 8_000);
});

Deno.test("a call that waits for a person has no bar of its own", () => {
  const spans = toSpans(
    entriesOf([
      {
        at: 1,
        event_type: "tool_call",
        content: "",
        tools: [{ id: "a", name: "file_write", args: "{}" }],
      },
      { at: 1, event_type: "interrupt", request_id: "r", tool_name: "file_write", message: "?" },
    ]),
    START,
  );
  assert.deepEqual(spans.map(({ kind }) => kind), ["model", "wait"]);
});
