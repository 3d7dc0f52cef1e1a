// The shapes of JSON as TypeScript sees them.

/** Whatever JSON text can say. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object: neither null nor an array. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** A JSON Schema document (draft 2020-12) that describes an object. */
export type JsonSchema = JsonObject;

/** Whether arrays and objects stand more than `levels` deep inside of each other. Looks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1));
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a text is one whole JSON value. */
export function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // An expected outcome: half a text, or none that is JSON.
  }
}
