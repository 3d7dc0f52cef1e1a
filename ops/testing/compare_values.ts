// Compares JSON values and resolves JSON pointers.
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

/** Returns the value at a JSON pointer (RFC 6901), or undefined if the pointer leads to no value. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  if (!pointer.startsWith("/")) return undefined;
  let found = value;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}
