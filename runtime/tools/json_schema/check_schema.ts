// The part of a JSON schema that is checked inside the service. A schema of somebody else's must not make that take
// long: no reference (they multiply), no pattern (it may backtrack for hours).
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../../base/json.ts";

/** Keeps of a keyword's value what can be kept, and calls `leave` where that is not all. Undefined: nothing. */
type Take = (value: JsonValue, leave: () => void) => JsonValue | undefined;

const asIs = (fits: (value: JsonValue) => boolean): Take => (value) =>
  fits(value) ? value : undefined;
const isNumber = (value: JsonValue) => typeof value === "number";
const isArray = (value: JsonValue) => Array.isArray(value);
const subschema = (value: JsonValue, leave: () => void): JsonSchema => {
  if (isJsonObject(value)) return reduce(value, leave);
  if (value !== true) leave();
  return {};
};
const subschemas: Take = (value, leave) =>
  Array.isArray(value) ? value.map((one) => subschema(one, leave)) : undefined;

/**
 * What is kept. All of these only ever allow more when something below them is left out, which `not`, `oneOf` and `if` do
 * not: what is left to others to check is never refused here.
 */
const KEYWORDS: Readonly<Record<string, Take>> = {
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

/** Keywords that refuse nothing by themselves. */
const SILENT = new Set([
  ...["title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$schema", "$id", "$anchor", "$defs", "definitions"],
]);

/** The schema without all that is left to others; it refuses nothing that the whole schema allows. */
export function toCheckSchema(schema: JsonSchema): JsonSchema {
  return reduce(schema, () => {});
}

/** Whether toCheckSchema leaves nothing to others that could refuse something. */
export function isCheckedWhole(schema: JsonSchema): boolean {
  let isWhole = true;
  reduce(schema, () => isWhole = false);
  return isWhole;
}

function reduce(schema: JsonSchema, leave: () => void): JsonSchema {
  const kept: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SILENT.has(keyword) || keyword === "additionalProperties") continue;
    const taken = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value, leave) : undefined;
    if (taken === undefined) leave();
    else kept[keyword] = taken;
  }
  const { additionalProperties: additional = true } = schema;
  // Unknown arguments are refused only where nothing else may know them.
  const others = ["patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef"];
  const isKept = additional === false && !others.some((keyword) => keyword in schema);
  if (isKept) kept["additionalProperties"] = false;
  else if (additional !== true) leave();
  // A tuple's items come after those that it lists, which are not looked at here.
  if ("prefixItems" in schema) delete kept["items"];
  return kept;
}
