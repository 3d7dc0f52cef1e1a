import assert from "node:assert/strict";
import fc from "fast-check";
import { createFrame, toDataLine } from "../../../runtime/events/frame.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { anyText } from "../../support/any_text.ts";

/** Where Python's str.splitlines() ends a line. */
// deno-lint-ignore no-control-regex -- these are line ends, too
const LINE_ENDS = /[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

Deno.test("toDataLine() gives one line to every reader, and the same value", () => {
  const unit = fc.oneof(fc.constantFrom(..."\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029\\"), anyText());
  fc.assert(fc.property(fc.array(unit), (parts) => {
    const text = parts.join("");
    const line = toDataLine(JSON.stringify({ [text]: text }));
    assert.doesNotMatch(line, LINE_ENDS);
    assert.deepEqual(JSON.parse(line), { [text]: text });
  }));
});

Deno.test("createFrame() makes a payload of one line, whatever its text", () => {
  const message = "one\u2028two\u2029three\u0085four\nfive";
  const { payload } = createFrame(
    { executionId: 1, agentId: "a", displayName: "A\u2028B" },
    { event: "ai", eventType: "ai", message, fields: { content: message } },
    { redactor: new Redactor(() => []), at: 0 },
  );
  assert.doesNotMatch(payload, LINE_ENDS);
  assert.match(payload, /one\\u2028two\\u2029three\\u0085four\\nfive/);
  const parsed = JSON.parse(payload);
  assert.deepEqual([parsed.message, parsed.content, parsed.display_name], [
    message,
    message,
    "A\u2028B",
  ]);
});
