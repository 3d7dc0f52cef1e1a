// Prepares the schema of an agent's answer for a model: as text in the prompt, as a grammar, or as a strict schema of
// OpenAI.
import { isJsonObject, type JsonSchema, type JsonValue } from "../../base/json.ts";
import type { ModelRequest } from "./model.ts";

/** Returns the request with its schema as text in the system message. */
export function addSchemaToPrompt(request: ModelRequest): ModelRequest {
  const { schema, messages, ...rest } = request;
  if (schema === undefined) return request;
  const words =
    "<answer_format>\nWhen you give your final answer, answer with JSON that fits this " +
    `JSON Schema, and nothing else:\n${JSON.stringify(schema)}\n</answer_format>`;
  const [first, ...others] = messages;
  return first?.role === "system"
    ? {
      ...rest,
      messages: [{ ...first, content: `${first.content}\n\n${words}` }, ...others],
    }
    : { ...rest, messages: [{ role: "system", content: words }, ...messages] };
}

/**
 * Returns the schema for a server that enforces it by a grammar (Ollama, llama.cpp, vLLM). Returns undefined while the
 * model may call tools, because a grammar prevents tool calls. A request that repairs an answer gets the schema in any
 * case.
 */
export function grammarSchema(
  { schema, tools, messages }: ModelRequest,
): JsonSchema | undefined {
  const last = messages.at(-1);
  const isRepair = last?.role === "user" && last.repair === true;
  return schema !== undefined && (tools.length === 0 || isRepair)
    ? toWireSchema(schema)
    : undefined;
}

/** Returns the schema without `$schema`, which providers refuse. */
export function toWireSchema({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

const STRICT_KEYWORDS = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"],
  ...["$ref", "$defs", "title", "description", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
]);

/** Returns true if OpenAI accepts the schema as strict: all objects are closed and require all of their properties. */
export function isStrict(schema: JsonSchema): boolean {
  return schema["type"] === "object" && isStrictPart(schema);
}

function isStrictPart(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  if (!Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  const { properties, required, items, anyOf, $defs } = schema;
  const types = [schema["type"]].flat();
  if (types.includes("object") || properties !== undefined) {
    if (schema["additionalProperties"] !== false || !isJsonObject(properties)) return false;
    const names = Array.isArray(required) ? required : [];
    if (!Object.keys(properties).every((name) => names.includes(name))) return false;
  }
  return [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(isJsonObject($defs) ? Object.values($defs) : []),
  ].every(isStrictPart);
}
