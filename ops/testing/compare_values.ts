// Comparison of JSON values, and JSON pointers.
import { isJsonObject } from "../../base/json.ts";

/** Returns true when two values are equal. The order of keys does not matter. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

/** Returns true when a value contains the wanted one: maps need only the named keys, all else must be equal. */
export function containsValue(value: unknown, wanted: unknown): boolean {
  if (!isJsonObject(wanted)) return isSameValue(value, wanted);
  return isJsonObject(value) &&
    Object.entries(wanted).every(([key, one]) =>
      Object.hasOwn(value, key) && containsValue(value[key], one)
    );
}

/** Returns the value at a JSON pointer (RFC 6901); undefined: there is none. */
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

/** Returns JSON with the keys of every map sorted. */
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
