// Adds an entry to `auto_approve` in the text of an agent file. Every other character stays. The result is parsed again to
// verify this.
import { isDeepStrictEqual } from "node:util";
import type { YAMLSeq } from "yaml";
import { isMap, isScalar, isSeq, parse, parseDocument } from "../../config/files/yaml_library.ts";
import { splitFrontMatter } from "../../config/files/front_matter.ts";

const KEY = "auto_approve";

/**
 * Returns the text with the new entry, or undefined if more than the list would change. `text` must be a valid agent file.
 */
export function addAutoApproval(text: string, entry: string): string | undefined {
  const parts = splitFrontMatter(text);
  if (parts === "unterminated") return undefined;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const value = /^[\w./-]+$/.test(entry) && parse(entry) === entry ? entry : JSON.stringify(entry);
  if (parts.yaml === null) {
    return `---${end}${KEY}: [${value}]${end}---${end}${end}${parts.body}`;
  }
  const before = text.slice(0, text.indexOf("\n") + 1);
  const after = text.slice(before.length + parts.yaml.length);
  const yaml = insertEntry(parts.yaml, value, end);
  return yaml !== undefined && addsOnlyEntry(parts.yaml, yaml, entry)
    ? before + yaml + after
    : undefined;
}

function insertEntry(yaml: string, value: string, end: string): string | undefined {
  const document = parseDocument(yaml);
  const { contents } = document;
  if (contents !== null && !isMap(contents)) return undefined;
  if (!document.has(KEY)) {
    if (contents?.flow) return undefined;
    const isEnded = yaml === "" || yaml.endsWith("\n");
    return `${yaml}${isEnded ? "" : end}${KEY}: [${value}]${end}`;
  }
  const list = document.get(KEY, true);
  if (isSeq(list)) {
    return list.flow ? inBrackets(yaml, list, value) : onNewLine(yaml, list, value, end);
  }
  if (!isScalar(list) || list.value !== null || !list.range) return undefined;
  const [from, to] = list.range;
  // The current value is empty: it is written as `null` or `~`, or only a comment follows the key.
  if (from < to) return `${yaml.slice(0, from)}[${value}]${yaml.slice(to)}`;
  return yaml.replace(new RegExp(`^${KEY}[ \\t]*:`, "m"), (key) => `${key} [${value}]`);
}

function inBrackets(yaml: string, list: YAMLSeq, value: string): string | undefined {
  const last = list.items.at(-1);
  const closing = (list.range?.[1] ?? 0) - 1;
  if (last === undefined) return yaml.slice(0, closing) + value + yaml.slice(closing);
  if (!isScalar(last) || !last.range) return undefined;
  const at = last.range[1];
  return `${yaml.slice(0, at)}, ${value}${yaml.slice(at)}`;
}

function onNewLine(yaml: string, list: YAMLSeq, value: string, end: string): string | undefined {
  const last = list.items.at(-1);
  if (!isScalar(last) || !last.range) return undefined;
  const lineStart = yaml.lastIndexOf("\n", last.range[0] - 1) + 1;
  const [dash] = /^[ \t]*-[ \t]+/.exec(yaml.slice(lineStart, last.range[0])) ?? [];
  if (dash === undefined) return undefined;
  // The new entry goes after the comment on the last entry's line.
  const feed = yaml.indexOf("\n", last.range[1]);
  return feed < 0
    ? `${yaml}${end}${dash}${value}`
    : `${yaml.slice(0, feed + 1)}${dash}${value}${end}${yaml.slice(feed + 1)}`;
}

/** Returns true if the new YAML equals the old YAML with the entry as the last item of the list. */
function addsOnlyEntry(before: string, after: string, entry: string): boolean {
  const [old, now] = [toPlain(before), toPlain(after)];
  if (old === undefined || now === undefined) return false;
  const list = [old[KEY] ?? []].flat();
  return isDeepStrictEqual(now, { ...old, [KEY]: [...list, entry] });
}

function toPlain(yaml: string): Record<string, unknown> | undefined {
  const document = parseDocument(yaml);
  return document.errors.length > 0 ? undefined : document.toJS() ?? {};
}
