// Adds a member to an object of a JSON text, or removes one. The rest of the text stays as it is written.
import { isDeepStrictEqual } from "node:util";
import { toPlainJson } from "../../base/text/json_comments.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";

/** The place and value of an insertion. */
export interface Insertion {
  /** The names from the whole to the object; empty: the whole. */
  path: readonly string[];
  name: string;
  value: JsonValue;
}

/**
 * Returns the text with one more member at the end of the object, in its neighbors' layout. `text` must be JSON
 * without such a member. Returns undefined when there is no object at `path`, or when the text has comments.
 */
export function insertMember(text: string, { path, name, value }: Insertion): string | undefined {
  // With comments, the comma's correct place is ambiguous.
  if (toPlainJson(text) !== text) return undefined;
  const object = findObject(text, path);
  if (object === undefined) return undefined;
  const { open, close, spans } = object;
  const [firstKey, lastEnd] = [spans[0]?.start, spans.at(-1)?.end];
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const before = firstKey === undefined ? undefined : text.slice(open + 1, firstKey);
  const levels = path.length + 1;
  const indent = before === undefined ? "  ".repeat(levels) : /\n([ \t]*)$/.exec(before)?.[1];
  const unit = indent !== undefined && indent.length % levels === 0
    ? indent.slice(0, indent.length / levels)
    : "  ";
  const member = indent === undefined
    ? ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`
    : `${newline}${indent}${JSON.stringify(name)}: ` +
      JSON.stringify(value, null, unit).replaceAll("\n", newline + indent);
  const edited = lastEnd === undefined
    ? text.slice(0, open + 1) + member + newline + "  ".repeat(levels - 1) + text.slice(close)
    : `${text.slice(0, lastEnd)},${member}${text.slice(lastEnd)}`;
  if (toPlainJson(text) !== text) return undefined;
  const wanted: unknown = JSON.parse(text);
  const inner = path.reduce<unknown>(
    (one, key) => isJsonObject(one) ? one[key] : undefined,
    wanted,
  );
  if (!isJsonObject(inner)) return undefined;
  // As the text spells it: JSON has no negative zero.
  inner[name] = JSON.parse(JSON.stringify(value));
  return isDeepStrictEqual(JSON.parse(edited), wanted) ? edited : undefined;
}

/**
 * Returns the text without the members of that name. `text` must be JSON. Returns undefined when there is no object
 * at `path`, or when the text has comments.
 */
export function removeMember(
  text: string,
  { path, name }: Pick<Insertion, "path" | "name">,
): string | undefined {
  const wanted: unknown = JSON.parse(text);
  const inner = path.reduce<unknown>(
    (one, key) => isJsonObject(one) ? one[key] : undefined,
    wanted,
  );
  if (!isJsonObject(inner)) return undefined;
  delete inner[name];
  let edited = text;
  for (;;) {
    const object = findObject(edited, path);
    if (object === undefined) return undefined;
    const { open, close, spans } = object;
    const at = spans.findIndex((span) => span.name === name);
    if (at < 0) break;
    const [before, after] = [spans[at - 1], spans[at + 1]];
    edited = after !== undefined
      ? edited.slice(0, spans[at]?.start) + edited.slice(after.start)
      : before !== undefined
      ? edited.slice(0, before.end) + edited.slice(spans[at]?.end)
      : edited.slice(0, open + 1) + edited.slice(close);
  }
  return isDeepStrictEqual(JSON.parse(edited), wanted) ? edited : undefined;
}

function findObject(text: string, path: readonly string[]): Found | undefined {
  return path.reduce<Found | undefined>(
    (found, key) => found && readObject(text, found.members.get(key) ?? -1),
    readObject(text, skipSpace(text, 0)),
  );
}

/** An object in a text: its braces, and the places of its members' values. */
interface Found {
  open: number;
  close: number;
  members: Map<string, number>;
  /** The members in their order, each from its name to the end of its value. */
  spans: { name: string; start: number; end: number }[];
}

/** Returns undefined when no object begins at `open`. */
function readObject(text: string, open: number): Found | undefined {
  if (text[open] !== "{") return undefined;
  const members = new Map<string, number>();
  const spans: Found["spans"] = [];
  let at = skipSpace(text, open + 1);
  while (text[at] !== "}") {
    const start = at;
    const keyEnd = endOfValue(text, at);
    // After the key come white space, the colon, and white space.
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const name: string = JSON.parse(text.slice(at, keyEnd));
    members.set(name, value);
    const end = endOfValue(text, value);
    spans.push({ name, start, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { open, close: at, members, spans };
}

const SPACE = /[ \t\r\n]*/y;
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^[\]{}",:\s]+|[,:\s]+/sy;

function skipSpace(text: string, at: number): number {
  return at + matchAt(SPACE, text, at).length;
}

/** Returns the end of the value that begins at `start`. The text is JSON. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const token = matchAt(TOKEN, text, at);
    if (token === "") throw new TypeError("The text is no JSON");
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    at += token.length;
  } while (depth > 0);
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
