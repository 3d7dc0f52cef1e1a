// Reads and edits mcp-servers.json for `inkling mcp`. The rest of the file stays as a person wrote it.
import { toPlainJson } from "../../base/text/json_comments.ts";
import { dirname } from "node:path";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { readWholeFile } from "../../base/files/whole_file.ts";
import type { JsonObject } from "../../base/json.ts";
import { decodeText } from "../../runtime/config/files/text_file.ts";
import {
  type ParsedServer,
  parseServers,
} from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import {
  findEntries,
  MAX_SERVERS_FILE_BYTES,
} from "../../runtime/tools/mcp/servers_file/server_entries.ts";
import { insertMember, removeMember } from "./json_members.ts";
import { NotInstalled } from "./not_installed.ts";

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
