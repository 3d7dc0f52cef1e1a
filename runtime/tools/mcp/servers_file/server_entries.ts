// Finds the entries of servers in the content of mcp-servers.json, and converts the notation of other MCP clients.
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../../../base/json.ts";

/** The maximum size of mcp-servers.json in bytes. */
export const MAX_SERVERS_FILE_BYTES = 1024 * 1024;

/** The maximum number of servers in mcp-servers.json. */
export const MAX_SERVERS = 256;

/** The keys that MCP clients use for a server's URL. */
export const URL_KEYS = ["url", "httpUrl", "serverUrl"];

/** The keys that other MCP clients use, each with Inkling's key. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cmd: "command",
  environment: "env",
  envs: "env",
};
/** The values of `type` that other MCP clients use, each with Inkling's value. */
const OTHER_TYPES: Readonly<Record<string, string>> = { local: "stdio", remote: "http" };

/**
 * Converts an entry to Inkling's notation. Other MCP clients use `cmd`, a command with its arguments as a list or one text,
 * `environment`, `envs`, `env_keys`, `enabled`, `includeTools`, `excludeTools`, and numbers in `env`. If an entry has both
 * keys, the value under Inkling's key is used.
 */
export function toOwnEntry(written: JsonObject): JsonObject {
  const entry: JsonObject = Object.fromEntries(
    Object.entries(written).map(([key, value]) => {
      const own = ownValue(OTHER_NAMES, key) ?? key;
      // If the entry also has Inkling's key, the other client's key is kept, and later reported as unknown.
      return [Object.hasOwn(written, own) ? key : own, value];
    }),
  );
  const { enabled, env_keys: keys, includeTools: include, excludeTools: exclude, ...rest } = entry;
  const [type, command] = [rest["type"], rest["command"]];
  const words = Array.isArray(command)
    ? command
    : rest["args"] === undefined
    ? toWords(command)
    : [];
  const [program, ...args] = words;
  const env = toTexts(rest["env"], keys);
  return {
    ...rest,
    ...(typeof type === "string" && Object.hasOwn(OTHER_TYPES, type) &&
      { type: OTHER_TYPES[type] ?? type }),
    ...(typeof program === "string" && {
      command: program,
      args: [...args, ...(Array.isArray(rest["args"]) ? rest["args"] : [])],
    }),
    ...(env !== undefined && { env }),
    ...(enabled === false && rest["disabled"] === undefined && { disabled: true }),
    ...(enabled !== undefined && typeof enabled !== "boolean" && { enabled }),
    ...((include ?? exclude) !== undefined && rest["tools"] === undefined && {
      tools: {
        ...(include !== undefined && { include }),
        ...(exclude !== undefined && { exclude }),
      },
    }),
  };
}

/** Splits a command such as `node server.js` into words. Does not split a path, which may contain spaces. */
function toWords(command: JsonValue | undefined): string[] {
  if (typeof command !== "string" || !/^[\w.@-]+\s+\S/.test(command.trim())) return [];
  return command.includes('"') || command.includes("'") ? [] : command.trim().split(/\s+/);
}

/**
 * Returns the environment variables with their values as texts. Adds the variables in `keys`, which are passed on under
 * their own names.
 */
function toTexts(env: JsonValue | undefined, keys: JsonValue | undefined): JsonValue | undefined {
  const names = Array.isArray(keys) ? keys.filter((name) => typeof name === "string") : [];
  if (names.length === 0 && !isJsonObject(env)) return env;
  const passed = names.map((name): [string, JsonValue] => [name, `\${${name}}`]);
  const given = Object.entries(isJsonObject(env) ? env : {}).map(([name, value]): [
    string,
    JsonValue,
  ] => [name, typeof value === "number" || typeof value === "boolean" ? String(value) : value]);
  return Object.fromEntries([...passed, ...given]);
}

/** Returns the map of servers in a file's content, or undefined, and the key of the object that contains it. */
export function findEntries(
  root: unknown,
): { entries: JsonObject | undefined; wrapper?: string } {
  if (!isJsonObject(root)) return { entries: undefined };
  for (const wrapper of ["mcpServers", "servers", "context_servers"]) {
    const entries = root[wrapper];
    if (entries !== undefined && !isServer(entries)) return { entries: asMap(entries), wrapper };
  }
  const { mcp } = root;
  if (isJsonObject(mcp) && mcp["servers"] !== undefined && !isServer(mcp)) {
    return { entries: asMap(mcp["servers"]), wrapper: "mcp.servers" };
  }
  if (isJsonObject(mcp) && !isServer(mcp) && Object.values(mcp).some(isServer)) {
    return { entries: mcp, wrapper: "mcp" };
  }
  return { entries: root };
}

/** Returns the names of entries that are beside the map of servers instead of in it. They are ignored. */
export function namesBeside(root: unknown): string[] {
  if (!isJsonObject(root)) return [];
  return Object.entries(root).filter(([, entry]) => isServer(entry)).map(([name]) => name);
}

/** Returns true if the value is an entry of a server, false if it is a map of servers. */
function isServer(entry: unknown): boolean {
  return isJsonObject(entry) &&
    ["command", "cmd", ...URL_KEYS].some((key) =>
      typeof entry[key] === "string" || Array.isArray(entry[key])
    );
}

function asMap(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
