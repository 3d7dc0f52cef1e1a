// Tests parseArguments() with texts that models write.
import assert from "node:assert/strict";
import { parseArguments } from "../../../../runtime/tools/definition/arguments.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";

Deno.test("parseArguments() reads an empty text as no arguments", () => {
  for (const text of ["", "  \n", "null", '""', "```json\n```"]) {
    assert.deepEqual(parseArguments(text), {}, text);
  }
});

Deno.test("parseArguments() keeps commas and fences inside strings", () => {
  assert.deepEqual(parseArguments('{"a":"x,}","b":["1,]",],}'), { a: "x,}", b: ["1,]"] });
  assert.deepEqual(parseArguments('{"a":"\\",}"}'), { a: '",}' });
  assert.deepEqual(parseArguments('{"a":"```json\\n{}\\n```"}'), { a: "```json\n{}\n```" });
});

Deno.test("parseArguments() reports a fault with line and column", () => {
  const complaint = (text: string): string => {
    try {
      parseArguments(text);
    } catch (error) {
      if (error instanceof ToolFailure) return error.message;
    }
    return assert.fail(`no complaint about ${text}`);
  };
  assert.equal(complaint("[1]"), "The arguments must be one JSON object, not an array.");
  assert.equal(complaint("17"), "The arguments must be one JSON object, not a number.");
  assert.equal(
    complaint('{"path": "a.md",\n "limit": ten}'),
    'The arguments are not valid JSON: at line 2, column 11, between "{\\"path\\": \\"a.md\\",\\n \\"limit\\": " and "ten}", ' +
      "a value is expected. Write them as one JSON object.",
  );
  const faults: Record<string, RegExp> = {
    '{"content": "cut o': /after .*, the text ends inside a string\./,
    '{"a": [1, 2': /the text ends too early/,
    '{"a": "say "hi""}': /column 13, .*a quote inside a string is written/,
    '{"a": "one\ntwo"}': /column 11, .*write \\n for a line break/,
    '{"a": "C:\\x"}': /this escape is unknown/,
    '{"a" 1}': /":" is expected/,
    "{'a': 1}": /column 2, .*a name in double quotes or "}" is expected/,
    '{"a": 1} {"b": 2}': /column 10, .*something follows the end/,
    '{"a": 01}': /a value is expected/,
    "[1,,2]": /a value is expected/,
  };
  for (const [text, reason] of Object.entries(faults)) assert.match(complaint(text), reason, text);
});

Deno.test("parseArguments() refuses too deeply nested arguments", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.equal(JSON.stringify(parseArguments(nested(100))), nested(100));
  const refusal = new ToolFailure("The arguments are nested over 100 levels deep.");
  assert.throws(() => parseArguments(nested(20_000)), refusal);
});
