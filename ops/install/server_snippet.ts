// Reads the forms in which vendors print MCP servers: a JSON snippet of any client, a command line, or an address.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toPlainJson } from "../../base/text/json_comments.ts";
import { findJsonFault } from "../../runtime/tools/definition/json_fault.ts";
import { splitShellWords } from "../../runtime/tools/skills/shell_words.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import { isSecretName } from "../../runtime/secrets/secret.ts";
import { findEntries, toOwnEntry } from "../../runtime/tools/mcp/servers_file/server_entries.ts";
import { NotInstalled } from "./not_installed.ts";

/** A server in a snippet. */
export interface SnippetServer {
  /** The name in the snippet, or a name made from the package, the image or the address. */
  name: string;
  /** The entry in Inkling's notation. Placeholders for keys are variables. */
  entry: JsonObject;
  /** The keys of the snippet that are left out, because they would free the server or its tools of checks. */
  leftOut: string[];
}

/** The keys by which snippets would free tools of questions, or programs of the sandbox. */
const FREEING = ["auto_approve", "autoApprove", "alwaysAllow", "autoApproved", "trust", "sandbox"];

/**
 * Returns the servers of a snippet that was typed instead of a name, or as the source of the server with a name. Returns
 * undefined if the words are no snippet. Throws NotInstalled for a snippet with a fault.
 */
export function findSnippet(
  { name, source }: { name: string; source?: string },
): SnippetServer[] | undefined {
  if (source === undefined) {
    return isSnippet(name) || /^https?:/i.test(name) ? readSnippet(name) : undefined;
  }
  if (!isSnippet(source)) return undefined;
  const servers = readSnippet(source, name);
  if (servers.length === 1) return servers.map((one) => ({ ...one, name }));
  throw new NotInstalled("The snippet has several servers: leave out the name");
}

/** Matches the beginning of JSON, which may be a comment. */
const JSON_TEXT = /^\s*(?:["{]|\/[/*])/;

/** Returns true for JSON and command lines. A path may contain spaces. */
function isSnippet(text: string): boolean {
  return JSON_TEXT.test(text) || /^[^/~.\s]\S*\s+\S/.test(text.trim());
}

/** Returns the servers of a snippet. `given` replaces their names. Throws NotInstalled if the text is none. */
function readSnippet(text: string, given?: string): SnippetServer[] {
  const trimmed = text.trim();
  if (JSON_TEXT.test(trimmed)) return readJson(trimmed, given);
  const entry = /^https?:\/\/\S+$/i.test(trimmed) ? { url: trimmed } : readCommandLine(trimmed);
  return [toServer(given ?? nameOf(entry), entry)];
}

function readJson(text: string, given: string | undefined): SnippetServer[] {
  const plain = toPlainJson(text).trim();
  // Many pages print only the entry with its name, without the braces around it.
  const whole = plain.startsWith("{") ? plain : `{${plain.replace(/,\s*$/, "")}}`;
  const fault = findJsonFault(whole);
  if (fault !== undefined) throw new NotInstalled(`The snippet is not valid JSON: ${fault.reason}`);
  const root: unknown = JSON.parse(whole);
  const bare = isJsonObject(root) ? asEntry(root) : undefined;
  if (bare !== undefined) {
    const { name, ...entry } = bare;
    return [toServer(given ?? (typeof name === "string" ? name : nameOf(entry)), entry)];
  }
  const { entries = {} } = findEntries(root);
  const servers = Object.entries(entries).flatMap(([name, value]) => {
    const entry = isJsonObject(value) ? asEntry(value) : undefined;
    return entry === undefined ? [] : [toServer(given ?? name, entry)];
  });
  if (servers.length > 0) return servers;
  throw new NotInstalled("The snippet has no server: an object with a command or a url");
}

/** Returns an entry in Inkling's notation, or undefined if the value is no entry. One client nests the command. */
function asEntry(value: JsonObject): JsonObject | undefined {
  const { command } = value;
  const nested = isJsonObject(command) && typeof command["path"] === "string"
    ? { ...value, ...command, command: command["path"], path: null }
    : value;
  const { path: _path, ...entry } = toOwnEntry(nested);
  const address = entry["url"] ?? entry["httpUrl"] ?? entry["serverUrl"];
  return typeof entry["command"] === "string" || typeof address === "string" ? entry : undefined;
}

/** Reads a command line as a shell does without expansions. `NAME=value` before the program is its `env`. */
function readCommandLine(text: string): JsonObject {
  const words = splitWords(text);
  const start = words.findIndex((word) => !/^(env$|[A-Za-z_]\w*=)/.test(word));
  if (start < 0) throw new NotInstalled("The command line has no program");
  const [command = "", ...args] = words.slice(start);
  const env = words.slice(0, start).flatMap((word) => {
    const [, name, value = ""] = /^(\w+)=(.*)$/s.exec(word) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return { command, args, ...(env.length > 0 && { env: Object.fromEntries(env) }) };
}

function splitWords(text: string): string[] {
  try {
    return splitShellWords(text);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new NotInstalled("The command line has a quote or a backslash without its end");
  }
}

function toServer(name: string, entry: JsonObject): SnippetServer {
  const leftOut = FREEING.filter((key) => Object.hasOwn(entry, key));
  const kept = Object.entries(entry).filter(([key]) => !leftOut.includes(key));
  const filled = withVariables(Object.fromEntries(kept), name);
  return {
    name: toName(name),
    entry: isContainer(filled) ? withContainer(filled) : filled,
    leftOut,
  };
}

/** Matches a text that stands for a key in printed snippets. */
const PLACEHOLDER =
  /<[^<>\s][^<>]*>|\b(?:your|my|insert|replace|put|paste)[-_ ][\w -]*\w|\bx{4,}\b|\.\.\.|…/i;

/** Returns the entry with a variable in place of each placeholder of a key. */
function withVariables(entry: JsonObject, name: string): JsonObject {
  const { env, headers, args } = entry;
  const own = `\${${toVariable(`${name}_TOKEN`)}}`;
  return {
    ...entry,
    ...(isJsonObject(env) && {
      env: mapTexts(
        env,
        (value, key) => value.trim() === "" || PLACEHOLDER.test(value) ? `\${${key}}` : value,
      ),
    }),
    ...(isJsonObject(headers) && {
      headers: mapTexts(headers, (value) => value.replace(PLACEHOLDER, own)),
    }),
    ...(Array.isArray(args) && {
      // Other placeholders, such as `<folder>`, stay as they are.
      args: args.map((arg) =>
        typeof arg !== "string"
          ? arg
          : arg.replace(PLACEHOLDER, (found) => isSecretName(toVariable(found)) ? own : found)
      ),
    }),
  };
}

function toVariable(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_").replace(/^_|_$/g, "")
    .replace(/^(?=\d)/, "_");
}

function mapTexts(object: JsonObject, convert: (text: string, key: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]): [string, JsonValue] => [
      key,
      typeof value === "string" ? convert(value, key) : value,
    ]),
  );
}

/** Matches the name of a container's image. A name without a slash looks like the value of an option. */
const IMAGE = /^[\w.-]+(:\d+)?(\/[\w.-]+)+([:@][\w.:-]+)?$/;

function isContainer({ command }: JsonObject): boolean {
  return typeof command === "string" && /^(.*\/)?(docker|podman)$/.test(command);
}

/** Passes on the variables that the container's options name, and disables the sandbox, in which no container starts. */
function withContainer(entry: JsonObject): JsonObject {
  const line = textsOf(entry["args"]).join(" ");
  const names = [...line.matchAll(/(?<=^| )(?:-e|--env)[ =](\w+)(?= |$)/g)].map(([, name = ""]) =>
    name
  );
  return toOwnEntry({ ...entry, env_keys: names, sandbox: false });
}

/** The programs that download a package and start its program. */
const RUNNERS = ["npx", "bunx", "uvx", "pipx", "pnpm", "uv", "yarn"];

/** Returns a name for a server without one: of its package, its image, its host or its program. */
function nameOf(entry: JsonObject): string {
  const { command, url } = entry;
  if (typeof command !== "string") {
    const [first = "", ...others] = URL.parse(String(url))?.hostname.split(".") ?? [];
    const isGeneral = ["mcp", "www", "api", "server"].includes(first) && others.length > 0;
    return isGeneral ? others[0] ?? first : first;
  }
  const args = textsOf(entry["args"]);
  const program = command.split(/[\\/]/).at(-1) ?? command;
  if (isContainer(entry)) return shortName(args.find((arg) => IMAGE.test(arg)) ?? program);
  if (!RUNNERS.includes(program)) return program.replace(/\.\w+$/, "");
  const words = args.filter((arg, at) =>
    !arg.startsWith("-") && !["--from", "--with", "--python"].includes(args[at - 1] ?? "")
  );
  return shortName(
    words.find((word) => !["dlx", "run", "exec", "tool", "x"].includes(word)) ?? program,
  );
}

/** Returns the distinctive part of a package or an image: `@acme/server-files@1.2` becomes `files`. */
function shortName(name: string): string {
  const path = name.replace(/(?<=.)[@:][^/]*$/, "").replace(/\[.*$/, "").split("/");
  const last = path.at(-1) ?? name;
  const short = last.split(/[-_.]/).filter((word) => !["mcp", "server", "remote"].includes(word));
  const scope = path.at(-2)?.replace("@", "");
  return short.join("-") || (scope ?? last);
}

function toName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+|-+$/g, "").slice(0, 64) ||
    "server";
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
