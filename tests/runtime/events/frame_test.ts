import assert from "node:assert/strict";
import fc from "fast-check";
import { toDataLine } from "../../../runtime/events/frame.ts";
import { anyText } from "../../support/any_text.ts";

/** The characters at which Python's str.splitlines() ends a line. */
// deno-lint-ignore no-control-regex -- these characters are line ends for some readers
const LINE_ENDS = /[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

Deno.test("toDataLine() returns text that every reader takes as one line, with the same value", () => {
  const unit = fc.oneof(fc.constantFrom(..."\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029\\"), anyText());
  fc.assert(fc.property(fc.array(unit), (parts) => {
    const text = parts.join("");
    const line = toDataLine(JSON.stringify({ [text]: text }));
    assert.doesNotMatch(line, LINE_ENDS);
    assert.deepEqual(JSON.parse(line), { [text]: text });
  }));
});
