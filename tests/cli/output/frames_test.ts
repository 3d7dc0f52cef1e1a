import assert from "node:assert/strict";
import fc from "fast-check";
import { formatArguments } from "../../../cli/output/arguments.ts";
import { FrameRenderer } from "../../../cli/output/run/frames.ts";
import type { FramePayload } from "../../../cli/output/payload.ts";
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

Deno.test("FrameRenderer shows calls when they are made where nothing else tells that they go on", () => {
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
      // Which of the two it is the result of must be seen.
      "✔ file_read  notes.md, limit: 20  12ms",
    ],
  );
});

Deno.test("FrameRenderer shows a call that never had a result when the run ends or stops", () => {
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

Deno.test("FrameRenderer shows below its call how a delegated run ended, also one that failed", () => {
  const tools = [{ id: "1", name: "run_agent", args: '{"agent_id":"translator"}' }];
  const figures = { execution_id: 13, total_tokens: 1_234, cost_usd: 0.01 };
  const delegated = (status: string, output: string) =>
    JSON.stringify({ status, output, ...figures });
  const lines = (content: string, isError = false) => {
    const result = { ...RESULT, tool_name: "run_agent", content, is_error: isError };
    return render([{ event_type: "tool_call", content: "", tools }, result])
      .flatMap(([, text]) => text.split("\n")).slice(1);
  };
  const end = (status: string) => `    ↳ execution 13 · ${status} · 1,234 tokens · $0.0100`;
  assert.deepEqual(lines(delegated("success", "Bonjour\n\u001b[2Jle")), [
    ...[end("success"), "    Bonjour", "    le"],
  ]);
  assert.deepEqual(lines(delegated("timeout", "")), [end("timeout")]);
  assert.deepEqual(lines("Error: no", true), ["    Error: no"]);
});

Deno.test("FrameRenderer shows notices, repairs, parents and estimates, each on its line", () => {
  const notice = { event_type: "meta", kind: "notice" };
  const message = "The answer does not fit output.schema, it is asked for once more: /a";
  const complete = { event_type: "complete", status: "success", usage_estimated: true };
  const figures = { duration_ms: 80, total_tokens: 1_234, cost_usd: 0.0012 };
  const table: [FramePayload, string | undefined][] = [
    [{ ...notice, level: "info", content: 'Starts "a\u001b[2J"' }, '· Starts "a"'],
    [
      { ...notice, level: "warn", content: "The rate limit is reached" },
      "! The rate limit is reached",
    ],
    [
      { event_type: "meta", kind: "repair", message, content: "Your answer\n- /a" },
      "! The answer does not fit output.schema, it is asked for\n  once more: /a",
    ],
    [
      { ...INFO, trigger: "agent", parent_execution_id: 5 },
      "The Writer · demo/echo · agent of execution 5 · execution 7",
    ],
    [{ event_type: "stats", message: "30 tokens", warning: "No price" }, "! No price"],
    [{ ...complete, ...figures }, "✔ success · 80ms · ~1,234 tokens · ~$0.0012"],
    [{ event_type: "final_answer", content: " \n" }, "The answer is empty"],
    [{ event_type: "thinking", content: "hm" }, undefined],
    [{}, undefined],
  ];
  for (const [frame, text] of table) {
    assert.deepEqual(render([frame]), text === undefined ? [] : [["step", text]]);
  }
});

Deno.test("FrameRenderer shows an agent's own text whole, and of what every agent is told one line", () => {
  const content = "<environment>\nNow: Friday\n\nFiles:\n- a\n</environment>\n\n" +
    "<task>\none\ntwo\n\nthree\nfour\n</task>";
  assert.deepEqual(render([{ event_type: "system", content }], { showMessages: true }), [[
    "step",
    "System prompt\n    Now: Friday\n    … 3 more lines\n\n    one\n    two\n\n    three\n    four",
  ]]);
});

Deno.test("FrameRenderer marks the steps that a fork has taken over, and counts none of their calls", () => {
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

Deno.test("FrameRenderer shows failed calls with more of their text", () => {
  const content = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join("\n");
  const [piece] = render([{ ...RESULT, content, is_error: true }]);
  const lines = piece?.[1].split("\n") ?? [];
  assert.equal(lines[0], "✖ file_read  12ms");
  assert.equal(lines[8], "    line 8");
  assert.equal(lines[9], "    … 1 more line");
});

Deno.test("FrameRenderer hides nothing of what a call does, on one line or whole", () => {
  const content = "echo a\n\u001b]0;touch pwned #\u0007\recho b\n";
  const call = (args: string) => ({
    event_type: "tool_call",
    content: "",
    tools: [{ id: "1", name: "file_write", args }],
  });
  const shown = (args: string, verbose: boolean) =>
    render([call(args)], { showCalls: true, verbose, columns: Infinity })[0]?.[1];
  const args = JSON.stringify({ path: "a.sh", content });
  assert.equal(
    shown(args, false),
    "→ file_write  a.sh, content: echo a \\u001b]0;touch pwned #\\u0007\\recho b",
  );
  assert.equal(
    shown(args, true),
    [
      "→ file_write",
      "    path: a.sh",
      "    content:",
      "      echo a",
      "      \\u001b]0;touch pwned #\\u0007\\recho b",
    ].join("\n"),
  );
  // What is no JSON is shown as it came.
  assert.equal(shown('{"path\u001b]0;x\u0007', false), '→ file_write  {"path\\u001b]0;x\\u0007');
  assert.equal(shown('{"path\u001b]0;x\u0007', true), '→ file_write\n    {"path\\u001b]0;x\\u0007');
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

Deno.test("formatArguments() shows names and values, or the text when it is no object", () => {
  assert.equal(formatArguments('{"path":"a b.md","deep":{"x":[1]}}'), 'a b.md, deep: {"x":[1]}');
  assert.equal(formatArguments('{"path": '), '{"path":');
  assert.equal(formatArguments("[1,2]"), "[1,2]");
  assert.equal(formatArguments(`{"text":"${"x".repeat(100)}"}`), `text: ${"x".repeat(59)}…`);
});
