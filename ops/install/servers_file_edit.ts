// Reads and edits mcp-servers.json for `inkling mcp`. The rest of the file stays as a person wrote it.
import { toPlainJson } from "../../base/text/json_comments.ts";
import { dirname } from "node:path";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { readWholeFile } from "../../base/files/whole_file.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { decodeText } from "../../runtime/config/files/text_file.ts";
import {
  type ParsedServer,
  parseServers,
} from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import {
  findEntries,
  MAX_SERVERS_FILE_BYTES,
} from "../../runtime/tools/mcp/servers_file/server_entries.ts";
import { NotInstalled } from "./not_installed.ts";
import { isDeepStrictEqual } from "node:util";

/** Returns the file's text; undefined when it does not exist. */
export async function readServers(file: string): Promise<string | undefined> {
  const bytes = await readWholeFile(file, { maxBytes: MAX_SERVERS_FILE_BYTES })
    .catch(ignoreMissing);
  if (bytes === undefined) return undefined;
  const decoded = decodeText(bytes, file);
  if ("diagnostic" in decoded) throw new NotInstalled(formatDiagnostic(decoded.diagnostic));
  return decoded.text;
}

/**
 * Returns the entries in their order, with each server's command and its problem if it cannot be used. Throws
 * NotInstalled when the file is broken.
 */
export async function readEntries(
  file: string,
): Promise<{ name: string; runs: string; problem: string | undefined }[]> {
  const text = await readServers(file);
  if (text === undefined) return [];
  return [...parse(text, file)].map(([name, server]) => ({
    name,
    runs: "problem" in server ? "" : commandOf(server),
    problem: "problem" in server ? server.problem : undefined,
  }));
}

function parse(text: string, file: string): ReadonlyMap<string, ParsedServer> {
  const parsed = parseServers(text, file);
  if ("problem" in parsed) throw new NotInstalled(parsed.problem);
  return parsed.servers;
}

function commandOf(server: Exclude<ParsedServer, { problem: string }>): string {
  if (server.kind === "endpoint") return server.declared.url;
  return toCommandLine([server.declared.command, ...server.declared.args]);
}

/** Returns words as a person writes a command line. */
export function toCommandLine(words: readonly string[]): string {
  return words.map((word) => /[\s"']/.test(word) ? JSON.stringify(word) : word).join(" ");
}

/** Returns the file's text with the entry. Throws NotInstalled when it is broken or has an entry of that name. */
export function addEntry(
  text: string | undefined,
  { file, name, entry }: { file: string; name: string; entry: JsonObject },
): string {
  if (text === undefined) return `${JSON.stringify({ [name]: entry }, null, 2)}\n`;
  if (parse(text, file).has(name)) {
    throw new NotInstalled(`The server ${JSON.stringify(name)} is already in ${file}`);
  }
  const edited = insertMember(text, { path: pathOf(text), name, value: entry });
  if (edited !== undefined) return edited;
  throw new NotInstalled(`${file} cannot be edited safely: add the entry by hand`);
}

/** Adds the entry to the file's present text, which a person may have changed since it was read. */
export async function writeEntry(
  { file, name, entry }: { file: string; name: string; entry: JsonObject },
): Promise<void> {
  const before = await readServers(file);
  const text = addEntry(before, { file, name, entry });
  await Deno.mkdir(dirname(file), { recursive: true });
  // A person may put tokens into a new file.
  await writeFileAtomically(file, text, before === undefined ? { mode: 0o600 } : {});
}

/** Removes the entry from the file's present text. Throws NotInstalled when it is broken or has no such entry. */
export async function removeEntry({ file, name }: { file: string; name: string }): Promise<void> {
  const before = await readServers(file) ?? "{}";
  if (!parse(before, file).has(name)) {
    throw new NotInstalled(`${file} has no server ${JSON.stringify(name)} to remove`);
  }
  const text = removeMember(before, { path: pathOf(before), name });
  if (text === undefined) {
    throw new NotInstalled(`${file} contains comments: remove the entry by hand`);
  }
  await writeFileAtomically(file, text);
}

/** Returns the names that lead to the object with the entries. */
function pathOf(text: string): string[] {
  return findEntries(JSON.parse(toPlainJson(text))).wrapper?.split(".") ?? [];
}

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
