// Compares JSON values.
import { isJsonObject, sortedJson } from "../../base/json.ts";

/** Returns true if two JSON values are equal. The order of keys does not matter. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

/**
 * Returns true if a JSON value contains the wanted value. An object may have more keys than the wanted object; everything
 * else must be equal.
 */
export function containsValue(value: unknown, wanted: unknown): boolean {
  if (!isJsonObject(wanted)) return isSameValue(value, wanted);
  return isJsonObject(value) &&
    Object.entries(wanted).every(([key, one]) =>
      Object.hasOwn(value, key) && containsValue(value[key], one)
    );
}
