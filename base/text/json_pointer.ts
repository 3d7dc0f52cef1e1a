// Parses and resolves JSON pointers (RFC 6901), which name a location inside a JSON value.
import { isJsonObject, type JsonValue } from "../json.ts";

/** Returns the keys of a pointer such as `/items/0/a~1b`; undefined for an invalid pointer. */
export function parsePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at a pointer; undefined for a missing value or an invalid pointer. */
export function valueAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  let current = value;
  for (const key of parsePointer(pointer) ?? [undefined]) {
    if (key === undefined) return undefined;
    if (Array.isArray(current)) current = /^(0|[1-9]\d*)$/.test(key) ? current[+key] : undefined;
    else if (isJsonObject(current)) {
      current = Object.hasOwn(current, key) ? current[key] : undefined;
    } else return undefined;
  }
  return current;
}
