// mcp-servers.json, text to entries. A broken entry is its own problem; no problem repeats a value, which may be a key.
import type { z } from "zod";
import { isJsonObject } from "../../json.ts";
import { suggest } from "../../suggestion.ts";
import { findJsonFault } from "../json_fault.ts";
import { declaredEndpoint, declaredProgram, type DeclaredServer } from "./server_definition.ts";

/** What a file declares: each server, or why it cannot be used; and what a person should look at. */
export interface ServersDocument {
  servers: ReadonlyMap<string, DeclaredServer | { problem: string }>;
  /** Sentences without the file's name. */
  warnings: string[];
}

const LONGEST_NAME = 100;

/**
 * The servers of a file, by name, bare or inside `mcpServers`; or, where the text holds no such map, the problem with its
 * place.
 */
export function parseServers(
  text: string,
  path: string,
): ServersDocument | { problem: string } {
  const fault = findJsonFault(text);
  if (fault !== undefined) {
    const before = text.slice(0, fault.position).split("\n");
    const place = `${path}:${before.length}:${(before.at(-1) ?? "").length + 1}`;
    return { problem: `${place}: The file is no JSON: ${fault.reason}` };
  }
  const root: unknown = JSON.parse(text);
  const wrapped = isJsonObject(root) ? root["mcpServers"] : undefined;
  const map = wrapped === undefined ? root : wrapped;
  if (!isJsonObject(map)) {
    return { problem: `${path}:1:1: The file must hold an object of servers by name` };
  }
  const servers = new Map<string, DeclaredServer | { problem: string }>();
  const warnings = wrapped === undefined ? [] : warnOfServersBeside(root);
  for (const [name, entry] of Object.entries(map)) {
    servers.set(name, parseServer(name, entry, warnings));
  }
  return { servers, warnings };
}

/** Other clients keep more than servers in such a file: only what could be one is warned of. */
function warnOfServersBeside(root: unknown): string[] {
  if (!isJsonObject(root)) return [];
  return Object.entries(root).flatMap(([name, entry]) => {
    const isServer = name !== "mcpServers" && isJsonObject(entry) &&
      (entry["command"] !== undefined || entry["url"] !== undefined);
    if (!isServer) return [];
    const shown = JSON.stringify(name);
    return [`The MCP server ${shown} is ignored: it stands beside "mcpServers"; move it into that`];
  });
}

function parseServer(
  name: string,
  entry: unknown,
  warnings: string[],
): DeclaredServer | { problem: string } {
  if (name.trim() === "" || name.length > LONGEST_NAME || /\p{Cc}/u.test(name)) {
    return { problem: `its name must be 1 to ${LONGEST_NAME} characters, none of them invisible` };
  }
  if (!isJsonObject(entry)) {
    return { problem: "it must be an object with a command or a url" };
  }
  const hasCommand = entry["command"] !== undefined;
  if (hasCommand === (entry["url"] !== undefined)) {
    return {
      problem: hasCommand
        ? "it has both a command and a url: keep one"
        : "it needs a command (a program to start) or a url",
    };
  }
  if (entry["type"] === "sse") {
    return {
      problem: "the transport sse is out of date: use the server's streamable HTTP address",
    };
  }
  const schema = hasCommand ? declaredProgram : declaredEndpoint;
  const known = Object.keys(schema.shape);
  for (const key of Object.keys(entry).filter((one) => !known.includes(one))) {
    const nearest = suggest(key, known);
    const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
    warnings.push(`The MCP server "${name}" has an unknown key ${JSON.stringify(key)}${hint}`);
  }
  // Two branches, because a union of schemas has no common output type.
  if (hasCommand) {
    const result = declaredProgram.safeParse(entry);
    return result.success
      ? { kind: "program", declared: result.data }
      : { problem: complaintOf(result.error) };
  }
  const result = declaredEndpoint.safeParse(entry);
  return result.success
    ? { kind: "endpoint", declared: result.data }
    : { problem: complaintOf(result.error) };
}

function complaintOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => {
    const reason = message.replace(/^Invalid (input|option): /, "");
    return `${path.map(String).join(".")}: ${reason}`;
  }).join("; ");
}
