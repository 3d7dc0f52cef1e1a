// The part of a JSON schema that is checked inside the service. A foreign schema must not make the check slow: no
// references (they multiply) and no patterns (they may backtrack for hours).
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../../base/json.ts";

/** Returns the part of a keyword's value to keep, or undefined. Calls `leave` if a part was dropped. */
type Reducer = (value: JsonValue, leave: () => void) => JsonValue | undefined;

const asIs = (fits: (value: JsonValue) => boolean): Reducer => (value) =>
  fits(value) ? value : undefined;
const isNumber = (value: JsonValue) => typeof value === "number";
const isArray = (value: JsonValue) => Array.isArray(value);
const subschema = (value: JsonValue, leave: () => void): JsonSchema => {
  if (isJsonObject(value)) return reduce(value, leave);
  if (value !== true) leave();
  return {};
};
const subschemas: Reducer = (value, leave) =>
  Array.isArray(value) ? value.map((one) => subschema(one, leave)) : undefined;

/**
 * The keywords to keep. Dropping something below one of them only makes the schema allow more, so the reduced check never
 * refuses valid values. That does not hold for `not`, `oneOf` and `if`.
 */
const KEYWORDS: Readonly<Record<string, Reducer>> = {
  type: asIs((value) => typeof value === "string" || Array.isArray(value)),
  enum: asIs(isArray),
  const: asIs(() => true),
  default: asIs(() => true),
  required: asIs(isArray),
  minimum: asIs(isNumber),
  maximum: asIs(isNumber),
  exclusiveMinimum: asIs(isNumber),
  exclusiveMaximum: asIs(isNumber),
  minLength: asIs(isNumber),
  maxLength: asIs(isNumber),
  minItems: asIs(isNumber),
  maxItems: asIs(isNumber),
  properties: (value, leave) =>
    isJsonObject(value)
      ? Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, subschema(one, leave)]),
      )
      : undefined,
  items: (value, leave) => isArray(value) ? undefined : subschema(value, leave),
  allOf: subschemas,
  anyOf: subschemas,
};

/** Keywords that refuse nothing themselves. */
const ANNOTATIONS = new Set([
  ...["title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$schema", "$id", "$anchor", "$defs", "definitions"],
]);

/** Returns the reduced schema. It refuses nothing that the whole schema allows. */
export function toReducedSchema(schema: JsonSchema): JsonSchema {
  return reduce(schema, () => {});
}

/** Returns true if toReducedSchema drops nothing that could refuse a value. */
export function isFullyChecked(schema: JsonSchema): boolean {
  let isWhole = true;
  reduce(schema, () => isWhole = false);
  return isWhole;
}

function reduce(schema: JsonSchema, leave: () => void): JsonSchema {
  const kept: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword) || keyword === "additionalProperties") continue;
    const taken = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value, leave) : undefined;
    if (taken === undefined) leave();
    else kept[keyword] = taken;
  }
  const { additionalProperties: additional = true } = schema;
  // Unknown arguments are refused only if no other keyword can allow them.
  const others = ["patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef"];
  const isKept = additional === false && !others.some((keyword) => keyword in schema);
  if (isKept) kept["additionalProperties"] = false;
  else if (additional !== true) leave();
  // A tuple's `items` apply after its listed items, which are not checked here.
  if ("prefixItems" in schema) delete kept["items"];
  return kept;
}
