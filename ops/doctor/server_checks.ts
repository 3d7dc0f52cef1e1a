// Checks that the MCP servers that agents name start and answer.
import { toPlainLine } from "../../base/text/plain_text.ts";
import type { Connection, ServerConnections } from "../authoring/server_connections.ts";
import type { Check, Finding } from "./finding.ts";

/** A server's output before its end may be long. */
const MAX_CHARACTERS = 400;

/** Returns a check for each of these servers. All start at once. */
export function serverChecks(
  names: readonly string[],
  { servers, file }: { servers: ServerConnections; file: string },
): Check[] {
  const checks = names.map(async (name) => toFindings(name, await servers.connect(name), file));
  return checks.map((found) => () => found);
}

function toFindings(name: string, connection: Connection, file: string): Finding[] {
  if ("tools" in connection) return [];
  return [{
    severity: "error",
    subject: `MCP server ${name}`,
    problem: toPlainLine(connection.problem, MAX_CHARACTERS),
    remedy: `start its program yourself, or check its entry in ${file}`,
  }];
}
