// Where the servers stand in the content of mcp-servers.json: other clients put objects of various names around them.
import { isJsonObject, type JsonObject } from "../../../../base/json.ts";

/** Names that clients have for a server's address. */
export const URL_KEYS = ["url", "httpUrl", "serverUrl"];

/** The map of servers in a file's content, undefined where there is none, and the name of what stands around it. */
export function findEntries(
  root: unknown,
): { entries: JsonObject | undefined; wrapper?: string } {
  if (!isJsonObject(root)) return { entries: undefined };
  for (const wrapper of ["mcpServers", "servers"]) {
    const entries = root[wrapper];
    if (entries !== undefined && !isServer(entries)) return { entries: asMap(entries), wrapper };
  }
  const { mcp } = root;
  if (isJsonObject(mcp) && mcp["servers"] !== undefined && !isServer(mcp)) {
    return { entries: asMap(mcp["servers"]), wrapper: "mcp.servers" };
  }
  return { entries: root };
}

/** Names of servers that stand beside what holds the others: nobody reads them there. */
export function namesBeside(root: unknown): string[] {
  if (!isJsonObject(root)) return [];
  return Object.entries(root).filter(([, entry]) => isServer(entry)).map(([name]) => name);
}

/** Whether it is meant as a server, and not as a map of them. */
function isServer(entry: unknown): boolean {
  return isJsonObject(entry) &&
    ["command", ...URL_KEYS].some((key) => typeof entry[key] === "string");
}

function asMap(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
