// Defines the types of JSON values, and functions that check values and texts.

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object: neither null nor an array. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** A JSON Schema document (draft 2020-12) that describes an object. */
export type JsonSchema = JsonObject;

/** Returns true if arrays and objects are nested more than `levels` deep. Stops at the first value that is too deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1));
}

/** Returns true for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true if a text is one complete JSON value. */
export function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // The text is incomplete or no JSON.
  }
}

/**
 * Returns the value of an object's own key. Returns undefined for the names that every object inherits, such as
 * `constructor`: names that people and models write may be equal to them.
 */
export function ownValue<Value>(
  values: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** Returns the object at a key, or an empty object if there is another value. */
export function objectIn(value: Readonly<Record<string, unknown>>, key: string): JsonObject {
  const inner = value[key];
  return isJsonObject(inner) ? inner : {};
}

/** Returns a value as JSON with sorted keys, so that equal values have equal texts. */
export function sortedJson(value: unknown, indent = 0): string {
  const sorted = JSON.stringify(
    value,
    (_key, one) =>
      isJsonObject(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0))
        : one,
    indent,
  );
  return sorted ?? "undefined";
}
