// A JSON schema of somebody else's on its way to a model: bounded, its texts plain.
import type { JsonObject, JsonSchema, JsonValue } from "../../../base/json.ts";
import { isDeeperThan, isJsonObject } from "../../../base/json.ts";
import { toPlainText } from "../../../base/text/plain_text.ts";

const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;
/** Keywords whose text is for readers: only there may characters be dropped without changing what the schema means. */
const PROSE = ["description", "title", "$comment"];

/** The schema to show, or why it cannot be shown (a sentence's end). The dialect mark `$schema` is dropped. */
export function toToolSchema(schema: unknown): { schema: JsonSchema } | { problem: string } {
  if (!isJsonObject(schema)) return { problem: "its input schema is not an object" };
  const excess = schemaExcess(schema);
  if (excess !== undefined) return { problem: `its input schema is ${excess}` };
  const { $schema: _dialect, ...rest } = plainProse(schema);
  return { schema: { type: "object", properties: {}, ...rest } };
}

/** How a schema is too big to be shown and checked, as the end of a sentence; undefined: it is not. */
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
