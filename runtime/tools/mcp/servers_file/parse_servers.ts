// Parses mcp-servers.json into entries. An invalid entry makes no other entry invalid. No message contains a value of an
// entry, because the value may be a key.
import type { z } from "zod";
import { isJsonObject } from "../../../../base/json.ts";
import { toPlainJson } from "../../../../base/text/json_comments.ts";
import { suggest } from "../../../../base/text/suggestion.ts";
import { findJsonFault } from "../../definition/json_fault.ts";
import { findEntries, MAX_SERVERS, namesBeside, toOwnEntry, URL_KEYS } from "./server_entries.ts";
import {
  declaredEndpoint,
  declaredProgram,
  type DeclaredServer,
  hasAuthorization,
} from "./server_definition.ts";

/** A parsed entry: the server or the problem that makes it unusable, and warnings for a person. */
export type ParsedServer = (DeclaredServer | { problem: string }) & {
  /** The warnings, each as a clause. */
  warnings: string[];
};

const LONGEST_NAME = 100;

/**
 * Parses the content of mcp-servers.json to its entries by name. It may contain comments. The servers are at the top level, or in `mcpServers`,
 * `servers` or `mcp.servers` as in other MCP clients. Returns a problem with its line and column if the content is invalid.
 */
export function parseServers(
  written: string,
  path: string,
): { servers: ReadonlyMap<string, ParsedServer> } | { problem: string } {
  const text = toPlainJson(written);
  const fault = findJsonFault(text);
  if (fault !== undefined) {
    const before = text.slice(0, fault.position).split("\n");
    const place = `${path}:${before.length}:${(before.at(-1) ?? "").length + 1}`;
    return { problem: `${place}: The file is not valid JSON: ${fault.reason}` };
  }
  const root: unknown = JSON.parse(text);
  const { entries, wrapper } = findEntries(root);
  if (entries === undefined) {
    return { problem: `${path}:1:1: The file must hold an object of servers by name` };
  }
  if (Object.keys(entries).length > MAX_SERVERS) {
    return { problem: `${path}:1:1: The file holds over ${MAX_SERVERS} servers` };
  }
  const servers = new Map<string, ParsedServer>();
  // Other MCP clients store more than servers in such a file, so only entries that could be servers are reported.
  for (const name of wrapper === undefined ? [] : namesBeside(root)) {
    servers.set(name, refuse(`it is beside "${wrapper}" and ignored: move it inside`));
  }
  for (const [name, entry] of Object.entries(entries)) servers.set(name, parseServer(name, entry));
  return { servers };
}

function refuse(problem: string): ParsedServer {
  return { problem, warnings: [] };
}

function parseServer(name: string, written: unknown): ParsedServer {
  if (name.trim() === "" || name.length > LONGEST_NAME || /\p{Cc}/u.test(name)) {
    return refuse(`its name must be 1 to ${LONGEST_NAME} characters, none of them invisible`);
  }
  if (!isJsonObject(written)) return refuse("it must be an object with a command or a url");
  const entry = toOwnEntry(written);
  if (entry["disabled"] === true) return refuse("its entry disables it");
  for (const place of ["env", "headers"]) {
    const map = entry[place];
    // The schema would drop this name without an error.
    if (isJsonObject(map) && Object.hasOwn(map, "__proto__")) {
      return refuse(`${place} must not have a name __proto__`);
    }
  }
  const addresses = URL_KEYS.filter((key) => entry[key] !== undefined);
  const hasCommand = entry["command"] !== undefined;
  if (hasCommand && addresses.length > 0) {
    return refuse(`it has both a command and a ${addresses[0]}: keep one`);
  }
  if (!hasCommand && addresses.length === 0) {
    return refuse("it needs a command (a program to start) or a url");
  }
  if (addresses.length > 1) return refuse(`it has ${addresses.join(" and ")}: keep one`);
  const { [addresses[0] ?? ""]: url, ...rest } = entry;
  const result = hasCommand
    ? declaredProgram.safeParse(entry)
    : declaredEndpoint.safeParse({ ...rest, url });
  if (!result.success) return refuse(complaintOf(result.error));
  if ("url" in result.data && result.data.oauth !== undefined && hasAuthorization(result.data)) {
    return refuse("it has both oauth and the header Authorization: keep one");
  }
  const known = Object.keys((hasCommand ? declaredProgram : declaredEndpoint).shape);
  const warnings = Object.keys(rest).filter((one) => !known.includes(one)).map((key) => {
    const nearest = suggest(key, known);
    const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
    return `it has an unknown key ${JSON.stringify(key)}${hint}`;
  });
  return "command" in result.data
    ? { kind: "program", declared: result.data, warnings }
    : { kind: "endpoint", declared: result.data, warnings };
}

function complaintOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => {
    const reason = message.replace(/^Invalid (input|option): /, "");
    return `${path.map(String).join(".")}: ${reason}`;
  }).join("; ");
}
