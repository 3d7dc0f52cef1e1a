// How a model is told the schema of its answer, where its provider does not hold it to one: in words.
import { isJsonObject, type JsonSchema, type JsonValue } from "../../base/json.ts";
import type { ModelRequest } from "./model.ts";

/** The request with its schema said in the system message, and nowhere else. */
export function askInWords(request: ModelRequest): ModelRequest {
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
 * The schema for a server that may hold the model to it by a grammar (Ollama, llama.cpp, vLLM): a model that is held to one
 * cannot call tools, so it is told in words while it may. Undefined there; not when all that is wanted is the answer itself.
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

/** The schema without the mark of its dialect, which providers refuse. */
export function toWireSchema({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

const STRICT_KEYWORDS = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"],
  ...["$ref", "$defs", "title", "description", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
]);

/** Whether OpenAI takes the schema as a strict one: closed objects with all of their properties required. */
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
