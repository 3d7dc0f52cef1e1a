// Reads and edits mcp-servers.json for `inkling mcp`. An edit keeps comments, and the layout of all other lines.
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, parse as parseJson, type ParseError } from "jsonc-parser";
import { toPlainJson } from "../../base/text/json_comments.ts";
import { dirname } from "../../base/plain_path.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { readWholeFile } from "../../base/files/whole_file.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { decodeText } from "../../runtime/config/files/text_file.ts";
import { redactText } from "../../runtime/secrets/secret_marks.ts";
import { declaredSecrets } from "../../runtime/tools/mcp/servers_file/declared_secrets.ts";
import {
  type ParsedServer,
  parseServers,
} from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import {
  findEntries,
  MAX_SERVERS_FILE_BYTES,
} from "../../runtime/tools/mcp/servers_file/server_entries.ts";
import { NotInstalled } from "./not_installed.ts";

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
 * Returns the servers in the file's order, each with its redacted command line and its problem, if any. Throws NotInstalled
 * if the file is broken.
 */
export async function readEntries(
  file: string,
): Promise<{ name: string; runs: string; problem: string | undefined }[]> {
  const text = await readServers(file);
  if (text === undefined) return [];
  return [...parse(text, file)].map(([name, server]) => ({
    name,
    runs: "problem" in server ? "" : redactedCommandOf(server),
    problem: "problem" in server ? server.problem : undefined,
  }));
}

function parse(text: string, file: string): ReadonlyMap<string, ParsedServer> {
  const parsed = parseServers(text, file);
  if ("problem" in parsed) throw new NotInstalled(parsed.problem);
  return parsed.servers;
}

/** Returns an entry's address or command line, with quotes around words that contain white space or quotation marks. */
export function commandOf(server: Exclude<ParsedServer, { problem: string }>): string {
  if (server.kind === "endpoint") return server.declared.url;
  return [server.declared.command, ...server.declared.args]
    .map((word) => /[\s"']/.test(word) ? JSON.stringify(word) : word).join(" ");
}

/** Returns commandOf() without the entry's secrets. Variables stay as written. */
function redactedCommandOf(server: Exclude<ParsedServer, { problem: string }>): string {
  const secrets = declaredSecrets(server.declared, (text) => text.replaceAll(/\$\{[^}]*\}/g, ""));
  return redactText(
    commandOf(server),
    secrets.sort((a, b) => b.value.length - a.value.length),
  );
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
  return setMember(text, { file, path: [name], value: entry });
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

/**
 * Reads the file again, sets the member at `path` (the name of a server, and a key of its entry) and writes the file.
 * Undefined removes it. Throws NotInstalled if the file is broken or has no such server.
 */
export async function changeEntry(
  { file, path, value }: {
    file: string;
    path: [string, ...string[]];
    value: JsonValue | undefined;
  },
): Promise<void> {
  const text = await readServers(file) ?? "{}";
  if (!parse(text, file).has(path[0])) {
    throw new NotInstalled(`${file} has no server ${JSON.stringify(path[0])}`);
  }
  await writeFileAtomically(file, setMember(text, { file, path, value }));
}

/**
 * Returns the text with the value at the path below the servers, or without the member if the value is undefined. Throws
 * NotInstalled if the text cannot be edited.
 */
export function setMember(
  text: string,
  { file, path, value }: { file: string; path: readonly string[]; value: JsonValue | undefined },
): string {
  const { wrapper } = findEntries(parseJson(text, [], LENIENT));
  const whole = [...wrapper?.split(".") ?? [], ...path];
  const edits = modify(text, whole, value, {}).map(({ offset, length, content }) => {
    if (length === 0) {
      return { offset, length, content: layOut(content, { text, path: whole, value }) };
    }
    // Without the first of several members, the next one begins at its place.
    const end = offset + length;
    const kept = text[end] === '"' ? toPlainJson(text.slice(offset, end)).search(/\S/) : 0;
    return { offset: offset + kept, length: length - kept, content };
  });
  const edited = applyEdits(text, edits);
  const errors: ParseError[] = [];
  const found = whole.reduce<unknown>(
    (one, key) => isJsonObject(one) ? one[key] : undefined,
    parseJson(edited, errors, LENIENT),
  );
  // The package changes the first of several members with one name, but the last one is used.
  if (errors.length === 0 && isDeepStrictEqual(found, value)) return edited;
  throw new NotInstalled(`${file} cannot be edited safely: change ${path.join(".")} by hand`);
}

const LENIENT = { allowTrailingComma: true };

/** Returns a new member on lines of its own, with the text's indentation. `content` is the member on one line. */
function layOut(
  content: string,
  { text, path, value }: { text: string; path: readonly string[]; value: JsonValue | undefined },
): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const [indent = "  "] = /^[ \t]+(?=")/m.exec(text) ?? [];
  const lineStart = newline + indent.repeat(path.length);
  const member = `${lineStart}${JSON.stringify(path.at(-1))}: ` +
    JSON.stringify(value, null, indent).replaceAll("\n", lineStart);
  return content.startsWith(",")
    ? `,${member}`
    : `${member}${newline}${indent.repeat(path.length - 1)}`;
}
