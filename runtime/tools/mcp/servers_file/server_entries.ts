// Where the servers stand in the content of mcp-servers.json: other clients put objects of various names around them.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../base/json.ts";

/** Names that clients have for a server's address. */
export const URL_KEYS = ["url", "httpUrl", "serverUrl"];

/** Names that other clients have for the keys of an entry. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cmd: "command",
  environment: "env",
  envs: "env",
};
/** Their names for the kinds of servers. */
const OTHER_TYPES: Readonly<Record<string, string>> = { local: "stdio", remote: "http" };

/**
 * An entry as it is written here, of one as another client writes it: `cmd`, a command with its arguments as a list or one
 * text, `environment`, `envs`, `env_keys`, `enabled`, `includeTools`, `excludeTools`, and numbers in `env`. What has a value
 * under its own name here keeps that.
 */
export function toOwnEntry(written: JsonObject): JsonObject {
  const entry: JsonObject = Object.fromEntries(
    Object.entries(written).map(([key, value]) => {
      const own = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] ?? key : key;
      // Beside the name that it has here, another one is told as unknown.
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

/** `node server.js`, which is no program's name; a path may hold spaces. */
function toWords(command: JsonValue | undefined): string[] {
  if (typeof command !== "string" || !/^[\w.@-]+\s+\S/.test(command.trim())) return [];
  return command.includes('"') || command.includes("'") ? [] : command.trim().split(/\s+/);
}

/** Values of variables as texts, and the variables that are passed on under their own names. */
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
    ["command", "cmd", ...URL_KEYS].some((key) => typeof entry[key] === "string");
}

function asMap(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
