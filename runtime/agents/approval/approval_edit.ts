// Adds an entry to `auto_approve` or `shell.allow` in the text of an agent file. Every other character stays. The result is parsed again to
// verify this.
import { isDeepStrictEqual } from "node:util";
import type { Pair, YAMLMap, YAMLSeq } from "yaml";
import { isJsonObject } from "../../../base/json.ts";
import { isMap, isScalar, isSeq, parse, parseDocument } from "../../config/files/yaml_library.ts";
import { splitFrontMatter } from "../../config/files/front_matter.ts";

/**
 * Returns the text with a new entry in `auto_approve`, or undefined if more than the list would change. `text` must be a
 * valid agent file.
 */
export function addAutoApproval(text: string, entry: string): string | undefined {
  return addEntry(text, entry, { key: "auto_approve" });
}

/** Returns the text with a new pattern in `shell.allow`, as addAutoApproval() does. */
export function addAllowedCommand(text: string, pattern: string): string | undefined {
  return addEntry(text, pattern, { section: "shell", key: "allow" });
}

/** The list that gets the entry: a key of the file, or of a map in it. */
interface ListPlace {
  section?: string;
  key: string;
}

/** Matches texts that are the same in YAML without quotes, also inside of brackets. */
const PLAIN = /^[\w./-]+(?: [\w./*-]+)*$/;

function addEntry(text: string, entry: string, place: ListPlace): string | undefined {
  const parts = splitFrontMatter(text);
  if (parts === "unterminated") return undefined;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const value = PLAIN.test(entry) && parse(entry) === entry ? entry : JSON.stringify(entry);
  if (parts.yaml === null) {
    if (place.section !== undefined) return undefined;
    return `---${end}${place.key}: [${value}]${end}---${end}${end}${parts.body}`;
  }
  const before = text.slice(0, text.indexOf("\n") + 1);
  const after = text.slice(before.length + parts.yaml.length);
  const yaml = insertEntry(parts.yaml, place, { value, end });
  return yaml !== undefined && addsOnlyEntry(parts.yaml, yaml, { entry, place })
    ? before + yaml + after
    : undefined;
}

/** The entry as YAML, and the line break of the file. */
interface Insertion {
  value: string;
  end: string;
}

function insertEntry(
  yaml: string,
  { section, key }: ListPlace,
  insertion: Insertion,
): string | undefined {
  const document = parseDocument(yaml);
  const { contents } = document;
  if (contents !== null && !isMap(contents)) return undefined;
  const { value, end } = insertion;
  const inner = section === undefined ? contents : document.get(section, true);
  if (isScalar(inner) && inner.value === true && inner.range) {
    const [from, to] = inner.range;
    return `${yaml.slice(0, from)}{ ${key}: [${value}] }${yaml.slice(to)}`;
  }
  const map = isMap(inner) ? inner : null;
  const pair = map?.items.find((one) => isScalar(one.key) && one.key.value === key);
  if (pair !== undefined) return intoList(yaml, pair, insertion);
  if (section !== undefined) {
    return map === null ? undefined : firstInMap(yaml, map, key, insertion);
  }
  if (map?.flow) return undefined;
  const isEnded = yaml === "" || yaml.endsWith("\n");
  return `${yaml}${isEnded ? "" : end}${key}: [${value}]${end}`;
}

/** Adds a list with the entry as the first pair of a map. */
function firstInMap(
  yaml: string,
  map: YAMLMap,
  key: string,
  { value, end }: Insertion,
): string | undefined {
  const from = map.range?.[0] ?? 0;
  if (map.flow) {
    const comma = map.items.length > 0 ? "," : " ";
    return `${yaml.slice(0, from + 1)} ${key}: [${value}]${comma}${yaml.slice(from + 1)}`;
  }
  const lineStart = yaml.lastIndexOf("\n", from - 1) + 1;
  const indent = yaml.slice(lineStart, from);
  if (indent.trim() !== "") return undefined;
  return `${yaml.slice(0, lineStart)}${indent}${key}: [${value}]${end}${yaml.slice(lineStart)}`;
}

function intoList(
  yaml: string,
  { key, value: list }: Pair,
  { value, end }: Insertion,
): string | undefined {
  if (isSeq(list)) {
    return list.flow ? inBrackets(yaml, list, value) : onNewLine(yaml, list, value, end);
  }
  if (!isScalar(list) || list.value !== null || !list.range) return undefined;
  const [from, to] = list.range;
  // The current value is empty: it is written as `null` or `~`, or only a comment follows the key.
  if (from < to) return `${yaml.slice(0, from)}[${value}]${yaml.slice(to)}`;
  const colon = isScalar(key) ? yaml.indexOf(":", key.range?.[1]) + 1 : 0;
  return colon === 0 ? undefined : `${yaml.slice(0, colon)} [${value}]${yaml.slice(colon)}`;
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
function addsOnlyEntry(
  before: string,
  after: string,
  { entry, place: { section, key } }: { entry: string; place: ListPlace },
): boolean {
  const [old, now] = [toPlain(before), toPlain(after)];
  if (old === undefined || now === undefined) return false;
  const map = section === undefined ? old : isJsonObject(old[section]) ? old[section] : {};
  const changed = { ...map, [key]: [...[map[key] ?? []].flat(), entry] };
  return isDeepStrictEqual(now, section === undefined ? changed : { ...old, [section]: changed });
}

function toPlain(yaml: string): Record<string, unknown> | undefined {
  const document = parseDocument(yaml);
  return document.errors.length > 0 ? undefined : document.toJS() ?? {};
}
