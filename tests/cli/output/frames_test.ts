import assert from "node:assert/strict";
import fc from "fast-check";
import { FrameRenderer } from "../../../cli/output/run/frames.ts";
import type { FramePayload } from "../../../present/payload.ts";
import { createStyle } from "../../../cli/output/style.ts";
import { widthOf } from "../../../cli/output/width.ts";
import { anyText } from "../../support/any_text.ts";

const style = createStyle({ colors: false });

function render(
  frames: FramePayload[],
  options: Partial<ConstructorParameters<typeof FrameRenderer>[0]> = {},
): [kind: string, text: string][] {
  const renderer = new FrameRenderer({ style, columns: 60, ...options });
  return frames.flatMap((frame) => renderer.render(frame)).map(({ kind, text }) => [kind, text]);
}

const INFO = {
  event_type: "execution_info",
  display_name: "The Writer",
  model: "demo/echo",
  trigger: "manual",
  execution_id: 7,
};
const CALL = {
  event_type: "tool_call",
  content: "I look first.",
  tools: [
    { id: "1", name: "file_read", args: '{"path":"notes.md","limit":20}' },
    { id: "2", name: "file_glob", args: "{}" },
  ],
};
const RESULT = {
  event_type: "tool_result",
  tool_call_id: "1",
  tool_name: "file_read",
  content: "one\ntwo\nthree\nfour\nfive",
  is_error: false,
  duration_ms: 12,
};

Deno.test("FrameRenderer shows calls when they start if nothing else shows the progress", () => {
  const one = { ...CALL, content: "", tools: CALL.tools.slice(0, 1) };
  assert.deepEqual(
    render([one, RESULT], { showCalls: true }).map(([, text]) => text.split("\n")[0]),
    ["→ file_read  notes.md, limit: 20", "✔ file_read  12ms"],
  );
  assert.deepEqual(
    render([{ ...CALL, content: "" }, RESULT], { showCalls: true })
      .map(([, text]) => text.split("\n")[0]),
    [
      "→ file_read  notes.md, limit: 20",
      "→ file_glob",
      // Another call started in between, so the result names its call.
      "✔ file_read  notes.md, limit: 20  12ms",
    ],
  );
});

Deno.test("FrameRenderer shows calls without a result when the run ends or stops", () => {
  const complete = { event_type: "complete", status: "aborted", error: "Cancelled by user" };
  assert.deepEqual(render([{ ...CALL, content: "" }, RESULT, complete]).slice(1), [
    ["step", "→ file_glob"],
    ["step", "✖ aborted"],
    ["failure", "Cancelled by user"],
  ]);
  const renderer = new FrameRenderer({ style, columns: 60 });
  renderer.render(CALL);
  assert.deepEqual(renderer.openCalls.map(({ name }) => name), ["file_read", "file_glob"]);
  assert.deepEqual(renderer.renderOpenCalls({}).map(({ text }) => text), [
    "→ file_read  notes.md, limit: 20",
    "→ file_glob",
  ]);
  assert.deepEqual(renderer.renderOpenCalls({}), []);
});

Deno.test("FrameRenderer marks the copied steps of a fork, and does not count their calls", () => {
  const complete = { event_type: "complete", status: "success" };
  const options = { showSteps: true, stepsTakenOver: 1 };
  const shown = render([INFO, CALL, RESULT, CALL, RESULT, complete], options).map(([, text]) =>
    text.split("\n", 1)[0]
  );
  assert.deepEqual(shown.slice(1), [
    "Step 1 taken over",
    "I look first.",
    "↪ file_read  notes.md, limit: 20  taken over",
    "Step 2",
    "I look first.",
    "✔ file_read  notes.md, limit: 20  12ms",
    "→ file_glob",
    "✔ success · 2 tool calls",
  ]);
});

Deno.test("FrameRenderer shows hostile text without control characters, within the width", () => {
  const text = anyText({ maxLength: 200 });
  fc.assert(
    fc.property(text, text, text, (name, args, content) => {
      const pieces = render([
        { event_type: "tool_call", content: "", tools: [{ id: "1", name: "n", args }] },
        { event_type: "tool_result", tool_call_id: "1", tool_name: "n", content, duration_ms: 5 },
        { event_type: "execution_info", display_name: name, model: name, trigger: "manual" },
      ]);
      for (const [, shown] of pieces) assert.doesNotMatch(shown, /[^\P{Cc}\n\t]/u);
      const [result = ""] = pieces.map(([, text]) => text);
      for (const line of result.split("\n")) {
        assert.ok(widthOf(line) <= 60, line);
      }
    }),
    { numRuns: 40 },
  );
});
