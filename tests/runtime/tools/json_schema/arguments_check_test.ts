// Tests the checks of arguments against schemas of custom tools and MCP tools.
import assert from "node:assert/strict";
import type { JsonSchema, JsonValue } from "../../../../base/json.ts";
import type { JsonObject } from "../../../../base/json.ts";
import { checkFully } from "../../../../runtime/tools/json_schema/arguments_check.ts";
import { compileArgumentsCheck } from "../../../../runtime/tools/json_schema/arguments_check.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";

const SCHEMA: JsonSchema = {
  type: "object",
  required: ["city", "days"],
  properties: {
    city: { type: "string", minLength: 1 },
    days: { type: "integer", minimum: 1 },
    unit: { enum: ["c", "f"], default: "c" },
    note: { type: ["string", "null"] },
    place: {
      type: "object",
      properties: { lat: { type: "number" } },
      additionalProperties: false,
      required: ["lat"],
    },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  },
  additionalProperties: false,
};

async function complaint(args: unknown, schema: JsonSchema = SCHEMA): Promise<string> {
  const { check } = await compileArgumentsCheck("weather", schema);
  try {
    return `accepted ${JSON.stringify(check(args))}`;
  } catch (error) {
    assert.ok(error instanceof ToolFailure, String(error));
    return error.message;
  }
}

Deno.test("compileArgumentsCheck() fills in defaults, and drops nulls of optional arguments", async () => {
  const { check } = await compileArgumentsCheck("weather", SCHEMA);
  assert.deepEqual(check({ city: "Rome", days: 2, place: null, note: null, toString: null }), {
    city: "Rome",
    days: 2,
    unit: "c",
    note: null,
  });
});

Deno.test("compileArgumentsCheck() reports each fault once", async () => {
  assert.equal(
    await complaint({ days: "two", unit: "k", colour: 1, place: { lat: "x", lon: 2 }, either: 4 }),
    [
      "The arguments do not fit weather:",
      '- "city" is missing',
      '- "days": Instance type "string" is invalid. Expected "integer"',
      '- "unit": Instance does not match any of ["c","f"]',
      '- "place.lat": Instance type "string" is invalid. Expected "number"',
      '- unknown argument "place.lon"',
      '- "either": Instance does not match any subschemas',
      '- unknown argument "colour"; known are city, days, unit, note, place, either',
    ].join("\n"),
  );
});

Deno.test("compileArgumentsCheck() says that a tool has no arguments", async () => {
  assert.equal(
    await complaint({ a: 1 }, { type: "object", additionalProperties: false }),
    'The arguments do not fit weather:\n- unknown argument "a"; the tool has no arguments',
  );
});

Deno.test("compileArgumentsCheck() refuses values that are not objects", async () => {
  for (const args of [null, 1, "x", [], undefined]) {
    assert.equal(await complaint(args), "The arguments of weather must be one JSON object.");
  }
});

Deno.test("compileArgumentsCheck() reports only the first ten faults", async () => {
  const required = Array.from({ length: 30 }, (_, i) => `a${i}`);
  const lines = (await complaint({}, { type: "object", required })).split("\n");
  assert.equal(lines.length, 12);
  assert.equal(lines.at(-1), "- and 20 more");
});

/** Returns the error message of checkFully(). */
async function wholeComplaint(args: JsonObject, schema: JsonSchema): Promise<string> {
  try {
    await checkFully(args, { tool: "weather", schema });
    return "accepted";
  } catch (error) {
    assert.ok(error instanceof ToolFailure, String(error));
    return error.message;
  }
}

Deno.test("checkFully() reports a broken schema as a failed call", async () => {
  const bad: JsonValue[] = [{ $ref: "#/$defs/missing" }, { type: "string", pattern: "(" }];
  for (const property of bad) {
    const schema: JsonSchema = { type: "object", properties: { a: property } };
    const message = await wholeComplaint({ a: "x" }, schema);
    assert.match(message, /^The arguments of weather cannot be checked, its schema is broken: /);
  }
});

Deno.test("checkFully() supports older drafts and references", async () => {
  const schema: JsonSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    definitions: { name: { type: "string" } },
    properties: { who: { $ref: "#/definitions/name" } },
  };
  const message = await wholeComplaint({ who: 1 }, schema);
  assert.match(message, /"who": Instance type "number" is invalid/);
  assert.equal(await wholeComplaint({ who: "me" }, schema), "accepted");
});

Deno.test("compileArgumentsCheck() skips slow keywords and reports them", async () => {
  const open: JsonObject[] = [
    { pattern: "^(a+)+$" },
    { patternProperties: { "^(a+)+$": {} } },
    { items: { $ref: "#" } },
    { allOf: [{ oneOf: [{}, {}] }] },
    { format: "email" },
    { uniqueItems: true },
    { additionalProperties: { type: "string" } },
    { properties: { deep: false } },
  ];
  for (const property of open) {
    const schema = { type: "object", properties: { a: property } };
    const { check, isPartial } = await compileArgumentsCheck("t", schema);
    assert.deepEqual(check({ a: "aaaa!" }), { a: "aaaa!" });
    assert.equal(isPartial({}), true, JSON.stringify(property));
  }
  const pair = { prefixItems: [{ type: "string" }], items: { type: "number" } };
  const { check } = await compileArgumentsCheck("t", { type: "object", properties: { a: pair } });
  // The reduced check does not know which items are left for `items`.
  assert.deepEqual(check({ a: ["a", 1] }), { a: ["a", 1] });
  const { isPartial } = await compileArgumentsCheck("weather", SCHEMA);
  assert.equal(isPartial({ city: "Rome", days: 1 }), false);
});

Deno.test("compileArgumentsCheck() does not check big arguments against a big schema", async () => {
  const anyOf = Array.from({ length: 200 }, (_, n) => ({ const: n }));
  const schema = { type: "object", properties: { a: { items: { anyOf } } } };
  const { check, isPartial } = await compileArgumentsCheck("t", schema);
  const small = { a: [1, 2, 300] };
  assert.throws(() => check(small), /"a.2"/);
  assert.equal(isPartial(small), false);
  for (const big of [{ a: Array(1_000).fill(300) }, { a: ["x".repeat(1_000_000)] }]) {
    assert.deepEqual(check(big), big);
    assert.equal(isPartial(big), true);
  }
});
