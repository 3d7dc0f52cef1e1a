// Reads and edits mcp-servers.json for `inkling mcp`. An edit keeps the rest of the file byte for byte.
import { toPlainJson } from "../../base/text/json_comments.ts";
import { dirname } from "../../base/plain_path.ts";
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

/** Returns the file's text, or undefined if the file does not exist. */
export async function readServers(file: string): Promise<string | undefined> {
  const bytes = await readWholeFile(file, { maxBytes: MAX_SERVERS_FILE_BYTES })
    .catch(ignoreMissing);
  if (bytes === undefined) return undefined;
  const decoded = decodeText(bytes, file);
  if ("diagnostic" in decoded) throw new NotInstalled(formatDiagnostic(decoded.diagnostic));
  return decoded.text;
}

/**
 * Returns the servers in the file's order, each with its command line and its problem, if any. Throws NotInstalled if the
 * file is broken.
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

/** Joins words to a command line. Quotes words that contain white space or quotation marks. */
export function toCommandLine(words: readonly string[]): string {
  return words.map((word) => /[\s"']/.test(word) ? JSON.stringify(word) : word).join(" ");
}

/** Returns the file's text with a new entry. Throws NotInstalled if the file is broken or has an entry with this name. */
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

/** Reads the file again, adds the entry and writes the file. */
export async function writeEntry(
  { file, name, entry }: { file: string; name: string; entry: JsonObject },
): Promise<void> {
  const before = await readServers(file);
  const text = addEntry(before, { file, name, entry });
  await Deno.mkdir(dirname(file), { recursive: true });
  // Only the owner may read a new file, because a person may add tokens to it.
  await writeFileAtomically(file, text, before === undefined ? { mode: 0o600 } : {});
}

/** Reads the file again, adds a member to an entry and writes the file. Throws NotInstalled if it cannot be added. */
export async function extendEntry(
  { file, name, key, value }: { file: string; name: string; key: string; value: JsonValue },
): Promise<void> {
  const text = await readServers(file) ?? "{}";
  const edited = parse(text, file).has(name)
    ? insertMember(text, { path: [...pathOf(text), name], name: key, value })
    : undefined;
  if (edited === undefined) {
    throw new NotInstalled(`${file} cannot be edited safely: add ${key} to ${name} by hand`);
  }
  await writeFileAtomically(file, edited);
}

/**
 * Reads the file again, removes the entry and writes the file. Throws NotInstalled if the file is broken or has no such
 * entry.
 */
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

/** Returns the keys on the path to the object that contains the servers. */
function pathOf(text: string): string[] {
  return findEntries(JSON.parse(toPlainJson(text))).wrapper?.split(".") ?? [];
}

/** A member to insert into a JSON text: the path of its object, its name and its value. */
export interface Insertion {
  /** The keys from the root to the object. Empty for the root itself. */
  path: readonly string[];
  name: string;
  value: JsonValue;
}

/**
 * Inserts a member at the end of the object, in the layout of the other members. `text` must be JSON without such a member.
 * Returns undefined if there is no object at `path` or the text has comments.
 */
export function insertMember(text: string, { path, name, value }: Insertion): string | undefined {
  // Comments are not supported, because the comma before the new member could end up inside a comment.
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
  // JSON.stringify() writes -0 as 0 into the edited text. The same conversion here keeps the comparison equal.
  inner[name] = JSON.parse(JSON.stringify(value));
  return isDeepStrictEqual(JSON.parse(edited), wanted) ? edited : undefined;
}

/**
 * Removes all members with this name from the object. `text` must be JSON. Returns undefined if there is no object at
 * `path` or the text has comments.
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

/** The positions of a JSON object in a text: its braces and its members. */
interface Found {
  open: number;
  close: number;
  members: Map<string, number>;
  /** The members in their order. Each span reaches from the name to the end of the value. */
  spans: { name: string; start: number; end: number }[];
}

/** Finds the braces and members of the object that begins at `open`. Returns undefined if no object begins there. */
function readObject(text: string, open: number): Found | undefined {
  if (text[open] !== "{") return undefined;
  const members = new Map<string, number>();
  const spans: Found["spans"] = [];
  let at = skipSpace(text, open + 1);
  while (text[at] !== "}") {
    const start = at;
    const keyEnd = endOfValue(text, at);
    // White space may precede and follow the colon after a key.
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

/** Returns the position after the JSON value that begins at `start`. */
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
