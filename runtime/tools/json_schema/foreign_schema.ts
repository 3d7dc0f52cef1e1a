// Prepares the JSON schema of a custom tool or an MCP tool for a model: limits its size, repairs it and cleans its texts.
import type { JsonObject, JsonSchema, JsonValue } from "../../../base/json.ts";
import { isDeeperThan, isJsonObject } from "../../../base/json.ts";
import { toPlainText } from "../../../base/text/plain_text.ts";

const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;
/**
 * Keywords whose value is text for readers. Control characters in these texts can be dropped without changing the schema's
 * meaning.
 */
const PROSE = ["description", "title", "$comment"];

/**
 * Returns the schema for the model, or the problem that makes it unusable, as a clause. Drops `$schema`, and repairs faults
 * that every provider rejects and whose meaning is obvious.
 */
export function toToolSchema(schema: unknown): { schema: JsonSchema } | { problem: string } {
  if (isNothing(schema)) return toToolSchema({});
  if (!isJsonObject(schema)) return { problem: "its input schema is not an object" };
  const excess = schemaExcess(schema);
  if (excess !== undefined) return { problem: `its input schema is ${excess}` };
  const { $schema: _dialect, ...rest } = plainProse(schema);
  try {
    const { type = "object", ...repaired } = repairSchema(rest);
    if (type !== "object" && !(Array.isArray(type) && type.includes("object"))) {
      return { problem: "its input schema describes no object" };
    }
    return { schema: { type: "object", properties: {}, ...repaired } };
  } catch (error) {
    if (error instanceof SchemaFault) return { problem: error.message };
    throw error;
  }
}

/** Returns the limit that a schema exceeds, as the end of a sentence such as `over 64 KB`, or undefined. */
export function schemaExcess(schema: unknown): string | undefined {
  if (isDeeperThan(schema, MAX_DEPTH)) return `nested over ${MAX_DEPTH} levels deep`;
  return JSON.stringify(schema).length > MAX_CHARACTERS
    ? `over ${MAX_CHARACTERS / 1024} KB`
    : undefined;
}

function plainProse(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, JsonValue] => {
      if (typeof value === "string") return [key, PROSE.includes(key) ? toPlainText(value) : value];
      if (Array.isArray(value)) {
        return [key, value.map((one) => isJsonObject(one) ? plainProse(one) : one)];
      }
      return [key, isJsonObject(value) ? plainProse(value) : value];
    }),
  );
}

/** JSON Schema's types by their names in JSON Schema and in programming languages. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ string: "string", number: "number", integer: "integer", boolean: "boolean" },
  ...{ object: "object", array: "array", null: "null" },
  ...{ str: "string", text: "string", int: "integer", long: "integer", bool: "boolean" },
  ...{ float: "number", double: "number", decimal: "number", dict: "object", map: "object" },
  ...{ list: "array", none: "null" },
};
const SCHEMAS = ["items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS_OF_SCHEMAS = ["properties", "patternProperties", "$defs", "definitions"];

/** Error: the schema has a fault whose meaning is not obvious. The message is a clause. */
class SchemaFault extends Error {
  override readonly name = "SchemaFault";
}

/** Returns true for undefined, null and an empty list, which some languages write for an empty object. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || Array.isArray(value) && value.length === 0;
}

/**
 * Returns the schema with these faults repaired, also in subschemas: types with other names, `required` inside `properties`
 * or on a property, a type's name instead of a schema, null values, an array without `items`. Keeps valid parts and their
 * order.
 */
function repairSchema(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  const required = new Set(namesIn(schema["required"]));
  for (const [key, value] of Object.entries(schema)) {
    // The type `any` is dropped: a schema without a type allows all types.
    if (key === "type" && value === "any") continue;
    if (value === null && key !== "default" && key !== "const") continue;
    if (key === "required") result[key] = [];
    else if (key === "type") result[key] = repairType(value);
    else if (SCHEMAS.includes(key)) {
      // In older drafts, `items` may be a list of schemas.
      result[key] = Array.isArray(value) ? value.map(repairInner) : repairInner(value);
    } else if (MAPS_OF_SCHEMAS.includes(key)) {
      result[key] = repairMap(key, value, required);
    } else result[key] = value;
  }
  if (result["type"] === "array") result["items"] ??= {};
  if (required.size > 0) result["required"] = [...required];
  else delete result["required"];
  return result;
}

function repairInner(value: JsonValue): JsonValue {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return { type: repairType(value) };
  if (isNothing(value)) return {};
  if (!isJsonObject(value)) {
    throw new SchemaFault(`its input schema has ${JSON.stringify(value)} as a schema`);
  }
  return repairSchema(value);
}

/**
 * Repairs a map of schemas. Adds to `required` the names in a misplaced `required` inside `properties`, and the properties
 * with `required: true`.
 */
function repairMap(key: string, value: JsonValue, required: Set<string>): JsonObject {
  if (isNothing(value)) return {};
  if (!isJsonObject(value)) {
    throw new SchemaFault(`the ${key} in its input schema are not an object`);
  }
  const result: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    if (key === "properties") {
      if (name === "required" && Array.isArray(inner)) {
        namesIn(inner).forEach((one) => required.add(one));
        continue;
      }
      if (isJsonObject(inner) && inner["required"] === true) required.add(name);
    }
    result[name] = repairInner(inner);
  }
  return result;
}

function repairType(type: JsonValue): JsonValue {
  if (Array.isArray(type)) return type.map(repairType);
  const known = typeof type === "string" ? TYPES[type.toLowerCase()] : undefined;
  if (known === undefined) {
    throw new SchemaFault(`its input schema has the type ${JSON.stringify(type)}`);
  }
  return known;
}

function namesIn(required: JsonValue | undefined): string[] {
  const list = Array.isArray(required) ? required : [required];
  return list.filter((one) => typeof one === "string");
}
