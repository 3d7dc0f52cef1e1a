// Formats values, their paths and lists of words for messages.
import type { YamlPath } from "./yaml_document.ts";
import { showKey } from "./yaml_values.ts";

/** Returns a path such as `settings.temperature` or `skills[0]`. */
export function formatPath(path: YamlPath): string {
  return path.map((part, i) => {
    if (typeof part === "number") return `[${part}]`;
    return `${i === 0 ? "" : "."}${showKey(String(part))}`;
  }).join("");
}

/** Returns a value for a message: as JSON, shortened to a readable length. */
export function showValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Returns a list of words as `a, b or c`. */
export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}
