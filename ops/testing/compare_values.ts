// JSON values beside each other, and what stands at a JSON pointer.
import { isJsonObject } from "../../base/json.ts";

/** Whether two values are the same; the order of keys says nothing. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

/** Whether a value has all that is wanted: of maps the keys that are named, everything else the same. */
export function containsValue(value: unknown, wanted: unknown): boolean {
  if (!isJsonObject(wanted)) return isSameValue(value, wanted);
  return isJsonObject(value) &&
    Object.entries(wanted).every(([key, one]) =>
      Object.hasOwn(value, key) && containsValue(value[key], one)
    );
}

/** What stands there (RFC 6901); undefined: nothing. */
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

/** As JSON with the keys of every map in order. */
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
