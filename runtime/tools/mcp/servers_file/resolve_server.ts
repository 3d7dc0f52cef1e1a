// Fills in the variables of a declared server, and validates the result. Messages never repeat values.
import { resolve } from "node:path";
import { CERTIFICATE_VARIABLES } from "../../../sandbox/certificates.ts";
import { resolveSandbox } from "./declared_sandbox.ts";
import { expandHome } from "../../../config/places.ts";
import { declaredSecrets } from "./declared_secrets.ts";
import { Expansion } from "./expansion.ts";
import { type DeclaredServer, type ServerDefinition, toToolChoice } from "./server_definition.ts";

/**
 * The environment variables that every program gets besides those of its entry: system paths, the user, and trusted
 * certificates. Never a key: a server gets only the keys that a person gave it.
 */
const PLACES = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
export const INHERITED_VARIABLES = [...PLACES, ...CERTIFICATE_VARIABLES];

/** A definition, or the reason that there is none, as the end of a sentence. */
export type ResolvedServer = { definition: ServerDefinition } | { problem: string };

/** Fills in variables in the command, arguments, environment values, folder, url and headers. */
export function resolveServer(
  server: DeclaredServer,
  options: {
    lookup: (name: string) => string | undefined;
    /** Absolute. A program's `cwd` is relative to it. */
    workspace: string;
    /** Absolute. The start folder of a program without `cwd`. */
    ownFolder: string;
    /** Absolute. The default of the writable paths of a program. Absent: the workspace. */
    agentPaths?: readonly string[];
  },
): ResolvedServer {
  const expansion = new Expansion(options.lookup);
  const definition = server.kind === "program"
    ? toProgram(server.declared, { ...options, expansion })
    : toEndpoint(server.declared, expansion);
  const { problem } = expansion;
  if (problem !== undefined) return { problem };
  if ("problem" in definition) return definition;
  // A second instance, because the first has already counted its values.
  const filled = new Expansion(options.lookup);
  const own = declaredSecrets(server.declared, (text, place) => filled.fill(text, place));
  const secrets = [...own, ...expansion.secrets].sort((a, b) => b.value.length - a.value.length);
  const { timeout } = server.declared;
  const tools = toToolChoice(server);
  return {
    definition: {
      ...definition,
      secrets,
      ...(tools !== undefined && { tools }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    },
  };
}

type Program = Extract<DeclaredServer, { kind: "program" }>["declared"];
type Endpoint = Extract<DeclaredServer, { kind: "endpoint" }>["declared"];

function toProgram(
  declared: Program,
  context: {
    expansion: Expansion;
    workspace: string;
    ownFolder: string;
    agentPaths?: readonly string[];
    lookup: (name: string) => string | undefined;
  },
): Omit<Extract<ServerDefinition, { kind: "program" }>, "secrets"> | { problem: string } {
  const { expansion, workspace, ownFolder, lookup, agentPaths = [workspace] } = context;
  const env: Record<string, string> = {};
  for (const name of INHERITED_VARIABLES) {
    const value = lookup(name);
    // A shell would read such a value as a function definition, so it is of no use to a server.
    if (value !== undefined && !value.startsWith("()")) env[name] = value;
  }
  const asked = declared.sandbox === false ? [] : declared.sandbox?.env ?? [];
  const written = {
    ...Object.fromEntries(asked.map((name) => [name, `\${${name}}`])),
    ...declared.env,
  };
  const home = lookup("HOME") ?? "/";
  /** Expands `~`, because no shell reads these values. */
  const fill = (text: string, place: string) => {
    const filled = expansion.fill(text, place);
    return text.startsWith("~") ? expandHome(filled, home) : filled;
  };
  for (const [name, text] of Object.entries(written)) {
    const value = fill(text, `env.${name}`);
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      return { problem: "env has a name or a value that is not allowed in an environment" };
    }
    env[name] = value;
  }
  const command = fill(declared.command, "command");
  const args = declared.args.map((one, at) => fill(one, `args.${at}`));
  if ([command, ...args].some((one) => one.includes("\0"))) {
    return { problem: "the command line contains a NUL character" };
  }
  const cwd = declared.cwd === undefined
    ? ownFolder
    : resolve(workspace, fill(declared.cwd, "cwd"));
  const startsInOwnFolder = declared.cwd === undefined;
  const values = [...args, ...Object.keys(written).map((name) => env[name] ?? "")];
  const sandbox = resolveSandbox(declared.sandbox, { command, values }, {
    fill: (text) => expansion.fill(text, "sandbox"),
    workspace,
    home,
    agentPaths,
  });
  return {
    kind: "program",
    command,
    args,
    env,
    cwd,
    startsInOwnFolder,
    ownFolder,
    workspace,
    sandbox,
  };
}

function toEndpoint(
  declared: Endpoint,
  expansion: Expansion,
): Omit<Extract<ServerDefinition, { kind: "endpoint" }>, "secrets"> | {
  problem: string;
} {
  const text = expansion.fill(declared.url, "url");
  const headers = Object.fromEntries(
    Object.entries(declared.headers)
      .map(([name, value]) => [name, expansion.fill(value, `headers.${name}`)]),
  );
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value)) return { problem: `headers.${name} is not a valid HTTP header` };
  }
  if (!URL.canParse(text)) return { problem: "its url is not a valid URL" };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { problem: `its url must begin with http:// or https://, not ${url.protocol}` };
  }
  if (url.username !== "" || url.password !== "") {
    return { problem: "its url contains a user or a password: use headers.Authorization instead" };
  }
  return { kind: "endpoint", url: url.href, headers };
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false; // It throws for exactly this, with a message that repeats the value.
  }
}
