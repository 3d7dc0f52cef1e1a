// The part of a server's JSON schema that is checked here. A check runs inside the service, so that a schema of somebody
// else's must not make it take long: no reference (they multiply), no pattern (it may backtrack for hours).
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../../json.ts";

type Take = (value: JsonValue) => JsonValue | undefined;

const asIs = (fits: (value: JsonValue) => boolean): Take => (value) =>
  fits(value) ? value : undefined;
const isNumber = (value: JsonValue) => typeof value === "number";
const isArray = (value: JsonValue) => Array.isArray(value);
const subschema: Take = (value) => isJsonObject(value) ? toCheckSchema(value) : undefined;
const subschemas: Take = (value) =>
  Array.isArray(value)
    ? value.map((one) => isJsonObject(one) ? toCheckSchema(one) : {})
    : undefined;

/**
 * What is kept. All of these only ever allow more when something below them is left out, which `not`, `oneOf` and `if` do
 * not: what is left to the server to check is never refused here.
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
  properties: (value) =>
    isJsonObject(value)
      ? Object.fromEntries(
        Object.entries(value).map((
          [name, one],
        ) => [name, isJsonObject(one) ? toCheckSchema(one) : {}]),
      )
      : undefined,
  items: subschema,
  allOf: subschemas,
  anyOf: subschemas,
};

/** The schema without all that is left to the server; it refuses nothing that the whole schema allows. */
export function toCheckSchema(schema: JsonSchema): JsonSchema {
  const kept: JsonObject = {};
  for (const [keyword, take] of Object.entries(KEYWORDS)) {
    const value = schema[keyword];
    const taken = value === undefined ? undefined : take(value);
    if (taken !== undefined) kept[keyword] = taken;
  }
  // Unknown arguments are refused only where nothing else may know them.
  const others = ["patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef"];
  if (schema["additionalProperties"] === false && !others.some((keyword) => keyword in schema)) {
    kept["additionalProperties"] = false;
  }
  // A tuple's items come after those that it lists, which are not looked at here.
  if ("prefixItems" in schema) delete kept["items"];
  return kept;
}
