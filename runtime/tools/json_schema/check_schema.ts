// Reduces a JSON schema to the part that the service checks. A schema from outside must not make the check slow, so
// references (they multiply) and patterns (they may backtrack for hours) are dropped.
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  ownValue,
} from "../../../base/json.ts";

/**
 * A function that returns the part of a keyword's value to keep, or undefined to drop the keyword. It calls `leave` if it
 * dropped a part.
 */
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
 * The keywords to keep, with their reducers. Dropping a part of a value below these keywords only makes the schema allow
 * more, so the reduced check never refuses a valid value. Dropping below `not`, `oneOf` or `if` could refuse one, so these
 * keywords are missing.
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

/** Keywords that never make a value invalid. */
const ANNOTATIONS = new Set([
  ...["title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$schema", "$id", "$anchor", "$defs", "definitions"],
]);

/**
 * Returns the reduced schema, which allows every value that the whole schema allows. `isWhole` is true if no keyword was
 * dropped that could make a value invalid.
 */
export function reduceSchema(schema: JsonSchema): { reduced: JsonSchema; isWhole: boolean } {
  let isWhole = true;
  const reduced = reduce(schema, () => isWhole = false);
  return { reduced, isWhole };
}

function reduce(schema: JsonSchema, leave: () => void): JsonSchema {
  const kept: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword) || keyword === "additionalProperties") continue;
    const taken = ownValue(KEYWORDS, keyword)?.(value, leave);
    if (taken === undefined) leave();
    else kept[keyword] = taken;
  }
  const { additionalProperties: additional = true } = schema;
  // `additionalProperties: false` is kept only if no other keyword can allow further properties.
  const others = ["patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef"];
  const isKept = additional === false && !others.some((keyword) => keyword in schema);
  if (isKept) kept["additionalProperties"] = false;
  else if (additional !== true) leave();
  // With `prefixItems`, `items` applies only to the items after the listed ones. The reduced check does not know
  // `prefixItems`.
  if ("prefixItems" in schema) delete kept["items"];
  return kept;
}
