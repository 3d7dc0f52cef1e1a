// Fuzzes the endpoints for programs, /v1 and /mcp, with random bodies. Every agent that a body can name is unknown, so no
// body starts a run.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createTestApp } from "../../../tests/support/test_app.ts";
import { anyText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";

const part = fc.record({
  type: fc.constantFrom("text", "image_url", "input_text", "output_text", "input_image", "file"),
  text: fc.oneof(anyText, fc.jsonValue()),
  image_url: fc.oneof(anyText, fc.constant("data:image/png;base64,AAAA"), fc.jsonValue()),
}, { requiredKeys: ["type"] });
const message = fc.record({
  type: fc.constantFrom("message", "reasoning", "mcp_call", "item_reference"),
  role: fc.constantFrom("user", "assistant", "system", "developer", "tool", "x"),
  content: fc.oneof(
    anyText,
    fc.jsonValue(),
    fc.array(part, { maxLength: 3 }),
    fc.constant("Why? [Run 1 waits for your answer · abcdefgh]"),
  ),
}, { requiredKeys: [] });
const messages = fc.array(message, { maxLength: 4 });
const turn = fc.record({
  model: fc.oneof(anyText, fc.constantFrom("nobody", "__proto__", "../x", "%00")),
  messages,
  input: fc.oneof(anyText, messages),
  instructions: fc.oneof(anyText, fc.jsonValue()),
  previous_response_id: fc.oneof(anyText, fc.constantFrom("resp_1_0", "resp_999999999999999_0")),
  tools: fc.oneof(fc.constant([]), fc.jsonValue()),
  stream: fc.jsonValue(),
}, { requiredKeys: ["model"] });

const call = fc.record({
  jsonrpc: fc.constantFrom("2.0", "1.0"),
  id: fc.oneof(fc.nat(), anyText, fc.jsonValue()),
  method: fc.oneof(
    fc.constantFrom("tools/list", "tools/call", "resources/read", "resources/list", "ping"),
    fc.constantFrom("initialize", "server/discover", "subscriptions/listen", "logging/setLevel"),
    anyText,
  ),
  params: fc.oneof(
    fc.jsonValue(),
    fc.record({
      name: fc.constantFrom("run_agent", "get_execution", "respond", "recap", "why", "__proto__"),
      arguments: fc.oneof(
        fc.jsonValue(),
        fc.record({
          agent_id: anyText,
          execution_id: fc.oneof(fc.integer(), fc.double(), anyText),
          request_id: anyText,
          approved: fc.jsonValue(),
          since: anyText,
        }, { requiredKeys: [] }),
      ),
      requestState: fc.oneof(anyText, fc.constant('{"execution":1,"request":"r","after":0}')),
      _meta: fc.jsonValue(),
    }, { requiredKeys: [] }),
    fc.record({ uri: fc.oneof(anyText, fc.constantFrom("inkling://executions/1", "file:///x")) }),
  ),
}, { requiredKeys: ["method"] });

interface Sent {
  path: string;
  body: string;
}

const cases: fc.Arbitrary<Sent> = fc.constantFrom(
  "/v1/chat/completions",
  "/v1/responses",
  "/mcp",
).chain((path) =>
  fc.record({
    path: fc.constant(path),
    body: fc.oneof(
      { weight: 8, arbitrary: (path === "/mcp" ? call : turn).map((one) => JSON.stringify(one)) },
      { weight: 1, arbitrary: fc.oneof(fc.json(), anyText) },
      { weight: 1, arbitrary: fc.constantFrom("[", '{"a":').map((text) => text.repeat(3_000)) },
    ),
  })
);

export const programBodies = defineTarget<Sent>({
  name: "program-bodies",
  claim:
    "every body sent to /v1 or /mcp is refused or answered in the protocol's form, and starts no run",
  oneIn: 2,
  cases: () => cases,
  async check({ path, body }) {
    const { app, runtime } = createTestApp();
    const response = await app.request(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: body.toWellFormed(),
    });
    const text = await response.text();
    const what = `${path} gave ${response.status}: ${text.slice(0, 300)}`;
    assert.ok(response.status < 500, what);
    assert.doesNotMatch(text, /\bat .+\.ts:\d+/, what);
    if (path.startsWith("/v1/")) {
      assert.ok(response.status >= 400, what);
      const { error } = JSON.parse(text);
      assert.ok(typeof error.message === "string" && error.message !== "", what);
    } else if (text !== "") {
      // In a regular expression, `.` and `$` end at U+2028, which a line of an event stream may contain.
      const [, data] = /^data: (\{[^\n]*)/m.exec(text) ?? [];
      assert.equal(JSON.parse(data ?? text).jsonrpc, "2.0", what);
    }
    assert.equal(runtime.runs.length, 0, what);
    assert.deepEqual(runtime.log.lines.filter(({ level }) => level === "error"), [], what);
  },
});
