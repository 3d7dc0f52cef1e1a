// Fuzzes the reading of tool arguments as weak models write them, and the check of arguments against schemas of other
// programs.
import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../../base/json.ts";
import { parseArguments } from "../../../runtime/tools/definition/arguments.ts";
import { parseDeclarations } from "../../../runtime/tools/custom/tool_declaration.ts";
import { findJsonFault } from "../../../runtime/tools/definition/json_fault.ts";
import {
  checkFully,
  compileArgumentsCheck,
} from "../../../runtime/tools/json_schema/arguments_check.ts";
import { toToolSchema } from "../../../runtime/tools/json_schema/foreign_schema.ts";
import { ToolFailure } from "../../../runtime/tools/failures/tool_failure.ts";
import { defineTarget } from "../target.ts";
import { anyText, textOf } from "../../../tests/support/any_text.ts";

const PIECES = [
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "\\u00e9",
    "\\ud800",
    "a",
    '"a"',
    "1",
    "-",
    "0",
    ".5",
    "e3",
    "null",
  ],
  ...[
    "true",
    " ",
    "\n",
    "\t",
    "```json\n",
    "\n```",
    "'",
    "//",
    "\ufeff",
    "\0",
    "__proto__",
    '"__proto__":',
  ],
];
const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }).map((value) =>
  JSON.stringify(value)
);
/** The texts in which weak models wrap their arguments. */
const WRAPPINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `\n ${text}\n`,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify(text)),
  (text) => `\`\`\`json\n${text}\n\`\`\``,
  (text) => `\`\`\`\n${text}\`\`\``,
  (text) => JSON.stringify(`\`\`\`json\n${text}\n\`\`\``),
  (text) => withCommas(JSON.parse(text)),
  (text) => JSON.stringify(withCommas(JSON.parse(text))),
];
const written = fc.oneof(
  fc.tuple(object, fc.constantFrom(...WRAPPINGS)).map(([text, wrap]) => ({
    text: wrap(text),
    means: text,
  })),
  fc.tuple(object, fc.nat(80), fc.nat(3), fc.constantFrom(...PIECES)).map((
    [text, at, gone, put],
  ) => ({
    text: text.slice(0, at) + put + text.slice(at + gone),
    means: undefined,
  })),
  fc.oneof(textOf(PIECES, { maxLength: 14 }), anyText())
    .map((text) => ({ text, means: undefined })),
);

/** Returns the value as JSON with a trailing comma in every non-empty object and array. */
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

export const toolArguments = defineTarget({
  name: "tool-arguments",
  claim:
    "arguments are parsed as the intended object, or refused with the error's place; never guessed",
  cases: () => written,
  check({ text, means }) {
    const fault = findJsonFault(text);
    assert.equal(fault === undefined, isJson(text), `${text}: ${JSON.stringify(fault)}`);
    if (fault !== undefined) assert.ok(fault.position >= 0 && fault.position <= text.length);
    let value: JsonObject;
    try {
      value = parseArguments(text);
    } catch (error) {
      assert.ok(error instanceof ToolFailure, String(error));
      assert.equal(means, undefined, `${text}: ${error.message}`);
      return;
    }
    assert.ok(isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype);
    if (means !== undefined) assert.deepEqual(value, JSON.parse(means));
    // An object that is valid JSON is used unchanged.
    else if (isJson(text) && isJsonObject(JSON.parse(text))) {
      assert.deepEqual(value, JSON.parse(text));
    }
  },
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const name = fc.constantFrom("a", "b", "c", "__proto__", "a/b", "a~b", "%", "é", "toString");
const odd = fc.jsonValue({ maxDepth: 1 });
const keywords = fc.record({
  type: fc.oneof(
    fc.constantFrom("object", "string", "number", "integer", "array", "boolean", "null"),
    odd,
  ),
  enum: fc.oneof(fc.array(odd, { maxLength: 3 }), odd),
  const: odd,
  required: fc.oneof(fc.array(name, { maxLength: 3 }), odd),
  minimum: fc.oneof(fc.integer(), odd),
  maxLength: fc.oneof(fc.integer(), odd),
  multipleOf: fc.oneof(fc.constantFrom(0, 0.1, 2, -1), odd),
  pattern: fc.oneof(fc.constantFrom("^a+$", "(", "[", "\\p{L}", ""), odd),
  format: fc.oneof(fc.constantFrom("date-time", "uri", "regex", "email", "nonsense"), odd),
  default: odd,
  additionalProperties: fc.oneof(fc.boolean(), odd),
  $ref: fc.constantFrom("#", "#/properties/a", "#/$defs/none", "https://example.com/x", ""),
  description: fc.oneof(fc.string(), odd),
}, { requiredKeys: [] });
/**
 * Generates schemas without subschemas. Most have a few keywords, because hardly any value is valid for a schema with all
 * keywords.
 */
const leaf = fc.tuple(keywords, fc.nat(9)).map(([own, share]): JsonObject =>
  // Convert the schema to text and back, because schemas arrive as JSON text.
  JSON.parse(JSON.stringify(share < 8 ? pick(own, share) : own))
);
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.tuple(
      leaf,
      fc.record({
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
        items: tie("schema"),
        anyOf: fc.array(tie("schema"), { maxLength: 2 }),
        not: tie("schema"),
      }, { requiredKeys: [] }),
      // Add at most one of these keywords: a schema with all of them at each level would be too large to generate.
      fc.oneof(
        fc.constant({}),
        fc.record({ patternProperties: fc.dictionary(fc.constantFrom("^a", "."), leaf) }),
        fc.record({ additionalProperties: leaf }),
        fc.record({ prefixItems: fc.array(leaf, { maxLength: 2 }) }),
        fc.record({ allOf: fc.array(leaf, { maxLength: 2 }) }),
        fc.record({ oneOf: fc.array(leaf, { maxLength: 2 }) }),
        fc.record({ if: leaf, then: leaf, else: leaf }),
      ),
    ).map(([own, below, more]): JsonObject => ({ ...own, ...below, ...more })),
  ),
}));
const args = fc.oneof(
  fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
  fc.jsonValue(),
);

/** Returns a part of an object's keys with their values; `share` selects the keys. */
function pick(value: object, share: number): object {
  return Object.fromEntries(Object.entries(value).filter((_, index) => index % 8 === share));
}

export const argumentSchemas = defineTarget({
  name: "argument-schemas",
  claim: "arguments are accepted by the whole schema, or refused with a sentence",
  cases: () => fc.tuple(schema, args),
  async check([written, value]) {
    const declared = parseDeclarations(
      JSON.stringify([{ name: "t", description: "T.", parameters: written }]),
    );
    if ("problem" in declared) assert.ok(declared.problem !== "");
    else for (const { parameters } of declared) await takeWhole(parameters, value as JsonValue);
    const shown = toToolSchema(written);
    if ("problem" in shown) return;
    // The product's check may skip keywords that only the server checks, but must not refuse a value that the whole schema
    // allows.
    const kept = await take(shown.schema, value as JsonValue);
    if (!kept && isJsonObject(value) && isPlain(shown.schema)) {
      assert.ok(
        !isValid(shown.schema, withoutNulls(value as JsonObject)),
        "what the whole schema allows is refused",
      );
    }
  },
});

/**
 * Returns true if the check of arguments accepts the value, and false if the check refuses it with a ToolFailure. Throws
 * any other error.
 */
async function take(schema: JsonSchema, value: JsonValue): Promise<boolean> {
  const { check } = await compileArgumentsCheck("t", schema);
  return await isTaken(() => assert.ok(isJsonObject(check(value))));
}

/**
 * Runs the two checks of a custom tool's arguments on the value, and throws unless each accepts or refuses with a
 * ToolFailure.
 */
async function takeWhole(schema: JsonSchema, value: JsonValue): Promise<void> {
  await take(schema, value);
  if (isJsonObject(value)) await isTaken(() => checkFully(value, { tool: "t", schema }));
}

async function isTaken(check: () => void | Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    assert.ok(error instanceof ToolFailure, String(error));
    assert.ok(error.message.length < 20_000);
    return false;
  }
}

/**
 * Returns true if the schema has no defaults, references or invalid keywords. For such keywords the reference validator
 * throws or has another result.
 */
function isPlain(schema: JsonSchema): boolean {
  return !/"(default|\$ref|pattern|format|multipleOf|not)"/.test(JSON.stringify(schema));
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

function isValid(schema: JsonSchema, value: JsonValue): boolean {
  try {
    return new Validator(schema as ConstructorParameters<typeof Validator>[0], "2020-12", false)
      .validate(value).valid;
  } catch {
    // A keyword whose value has the wrong type is invalid.
    return false;
  }
}
