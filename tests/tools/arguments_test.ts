// Arguments as models write them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseArguments } from "../../runtime/tools/arguments.ts";
import { findJsonFault } from "../../runtime/tools/json_fault.ts";
import { ToolFailure } from "../../runtime/tools/tool_failure.ts";

const jsonObject = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })
  .map((value) => JSON.stringify(value));

/** Trailing commas wherever JSON has a filled object or array. */
function withCommas(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[${value.map(withCommas).join(" , ")},\n]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, one]) =>
      `${JSON.stringify(key)}: ${withCommas(one)}`
    );
    return entries.length === 0 ? "{}" : `{${entries.join(",")} , }`;
  }
  return JSON.stringify(value);
}

Deno.test("parseArguments() reads every object, and repairs every slip that it knows", () => {
  fc.assert(fc.property(jsonObject, fc.constantFrom("", "\n", "  "), (text, space) => {
    const expected = JSON.parse(text);
    const forms = [
      text,
      space + text + space,
      JSON.stringify(text),
      JSON.stringify(JSON.stringify(text)),
      `\`\`\`json\n${text}\n\`\`\``,
      `\`\`\`\n${text}\`\`\``,
      JSON.stringify(`\`\`\`json\n${text}\n\`\`\``),
      withCommas(expected),
      JSON.stringify(withCommas(expected)),
    ];
    for (const form of forms) assert.deepEqual(parseArguments(form), expected, form);
  }));
});

Deno.test("parseArguments() gives an object or a ToolFailure for any text", () => {
  const nearJson = fc.array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "a",
      "1",
      "null",
      " ",
      "\n",
      "```json",
    ),
    { maxLength: 12 },
  )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), nearJson), (text) => {
      try {
        const value = parseArguments(text);
        assert.equal(Object.prototype.toString.call(value), "[object Object]");
      } catch (error) {
        assert.ok(error instanceof ToolFailure, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("parseArguments() takes nothing for no arguments", () => {
  for (const text of ["", "  \n", "null", '""', "```json\n```"]) {
    assert.deepEqual(parseArguments(text), {}, text);
  }
});

Deno.test("parseArguments() leaves commas and fences inside of strings alone", () => {
  assert.deepEqual(parseArguments('{"a":"x,}","b":["1,]",],}'), { a: "x,}", b: ["1,]"] });
  assert.deepEqual(parseArguments('{"a":"\\",}"}'), { a: '",}' });
  assert.deepEqual(parseArguments('{"a":"```json\\n{}\\n```"}'), { a: "```json\n{}\n```" });
});

Deno.test("parseArguments() says what is wrong and where", () => {
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
    '{"content": "cut o': /behind .*, the text ends inside a string\./,
    '{"a": [1, 2': /the text ends too early/,
    '{"a": "say "hi""}': /column 13, .*a quote inside a string is written/,
    '{"a": "one\ntwo"}': /column 11, .*write \\n for a line break/,
    '{"a": "C:\\x"}': /this escape is unknown/,
    '{"a" 1}': /":" is expected/,
    "{'a': 1}": /column 2, .*a name in double quotes or "}" is expected/,
    '{"a": 1} {"b": 2}': /column 10, .*something follows behind the end/,
    '{"a": 01}': /a value is expected/,
    "[1,,2]": /a value is expected/,
  };
  for (const [text, reason] of Object.entries(faults)) assert.match(complaint(text), reason, text);
});

Deno.test("findJsonFault() finds a fault exactly where JSON.parse fails", () => {
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "\\u00e9",
    "a",
    '"a"',
    "1",
    "-",
    "0",
    ".5",
    "e3",
    "null",
    "true",
    " ",
    "\n",
    "\t",
  ];
  const near = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) =>
    parts.join("")
  );
  const cut = fc.tuple(jsonObject, fc.nat(60)).map(([text, at]) =>
    text.slice(0, at) + text.slice(at + 1)
  );
  fc.assert(
    fc.property(fc.oneof(near, cut, jsonObject), (text) => {
      const fault = findJsonFault(text);
      const valid = isJson(text);
      assert.equal(fault === undefined, valid, `${text}: ${JSON.stringify(fault)}`);
      if (fault !== undefined) assert.ok(fault.position >= 0 && fault.position <= text.length);
    }),
    { numRuns: 3_000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
