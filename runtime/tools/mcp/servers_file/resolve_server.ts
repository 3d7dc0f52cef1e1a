// Fills in the variables of a declared server, and validates the result. Messages never contain values of the entry.
import { join, resolve } from "../../../../base/plain_path.ts";
import { CERTIFICATE_VARIABLES } from "../../../sandbox/certificates.ts";
import { resolveSandbox } from "./declared_sandbox.ts";
import { expandHome } from "../../../config/places.ts";
import type { WorkspaceSettings } from "../../../config/settings.ts";
import { declaredSecrets } from "./declared_secrets.ts";
import { Expansion } from "./expansion.ts";
import { resolveOAuth } from "./declared_oauth.ts";
import { toFunctionName } from "../listing/tool_names.ts";
import {
  type DeclaredServer,
  hasAuthorization,
  type ServerDefinition,
  type ServerEndpoint,
  type ServerProgram,
} from "./server_definition.ts";

/**
 * The environment variables that every program gets in addition to its entry's: paths, the user, and certificates. They
 * contain no keys, because a server gets only the keys that a person gave it.
 */
const PLACES = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
export const INHERITED_VARIABLES = [...PLACES, ...CERTIFICATE_VARIABLES];

/**
 * Returns the folder in which the program of an entry without `cwd` starts. No agent can write to it.
 *
 * Decision: the folder is outside of the workspace, because agents write there, and interpreters and package runners load
 * code from the working folder and its parents (rejected: the folder of mcp-servers.json, which is in the workspace, beside
 * the file with the keys).
 */
function serverFolder(stateDir: string, server: string): string {
  return join(stateDir, "mcp", toFunctionName(server));
}

/** The definition of a server, or the problem that makes its entry unusable, as a clause. */
export type ResolvedServer = ServerDefinition | { problem: string };

/**
 * Returns the definition of a declared server, with variables filled in the command, arguments, environment values, folder,
 * URL and headers. Returns the problem of the entry, or of an invalid value.
 */
export function resolveServer(
  name: string,
  server: DeclaredServer | { problem: string },
  { directories: { workspace, stateDir }, environment, agentPaths = [workspace] }: {
    /** A program's `cwd` is relative to the workspace. Without it, the program starts in a folder of the state folder. */
    directories: Pick<WorkspaceSettings["directories"], "workspace" | "stateDir">;
    environment: Pick<WorkspaceSettings["environment"], "get">;
    /** The absolute paths that the program may write if its entry has no `sandbox.write`. Default: the workspace. */
    agentPaths?: readonly string[];
  },
): ResolvedServer {
  if ("problem" in server) return server;
  const lookup = (variable: string) => environment.get(variable);
  const expansion = new Expansion(lookup);
  const ownFolder = serverFolder(stateDir, name);
  const definition = server.kind === "program"
    ? toProgram(server.declared, { expansion, workspace, ownFolder, lookup, agentPaths })
    : toEndpoint(server.declared, expansion);
  const { problem } = expansion;
  if (problem !== undefined) return { problem };
  if ("problem" in definition) return definition;
  // A second Expansion is needed, because the first has already counted the sizes of these values.
  const filled = new Expansion(lookup);
  const own = declaredSecrets(server.declared, (text, place) => filled.fill(text, place));
  const signIn = server.kind === "endpoint" && !hasAuthorization(server.declared)
    ? resolveOAuth(server.declared.oauth, lookup)
    : undefined;
  if (signIn !== undefined && "problem" in signIn) return signIn;
  const secrets = [...own, ...expansion.secrets, ...signIn?.secrets ?? []]
    .sort((a, b) => b.value.length - a.value.length);
  const { timeout, auto_approve: autoApprove, tools } = server.declared;
  return {
    ...definition,
    ...(signIn !== undefined && { oauth: signIn.oauth }),
    secrets,
    ...(tools !== undefined && { tools }),
    ...(autoApprove !== undefined && { autoApprove }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  };
}

type Program = Extract<DeclaredServer, { kind: "program" }>["declared"];
type Endpoint = Extract<DeclaredServer, { kind: "endpoint" }>["declared"];

function toProgram(
  declared: Program,
  { expansion, workspace, ownFolder, lookup, agentPaths }: {
    expansion: Expansion;
    workspace: string;
    ownFolder: string;
    lookup: (name: string) => string | undefined;
    agentPaths: readonly string[];
  },
): ServerProgram | { problem: string } {
  const env: Record<string, string> = {};
  for (const name of INHERITED_VARIABLES) {
    const value = lookup(name);
    // A shell would interpret such a value as a function, so it is not passed to the program.
    if (value !== undefined && !value.startsWith("()")) env[name] = value;
  }
  const asked = declared.sandbox === false ? [] : declared.sandbox?.env ?? [];
  const written = {
    ...Object.fromEntries(asked.map((name) => [name, `\${${name}}`])),
    ...declared.env,
  };
  const home = lookup("HOME") ?? "/";
  /** Fills in variables, then expands a leading `~`, because no shell reads these values. */
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
): ServerEndpoint | { problem: string } {
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
    return { problem: "its url must begin with http:// or https://" };
  }
  if (url.username !== "" || url.password !== "") {
    return { problem: "its url contains a user or a password: use headers.Authorization instead" };
  }
  return {
    kind: "endpoint",
    url: url.href,
    headers,
    ...(declared.type === "sse" && { transport: "sse" as const }),
  };
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false; // The error is dropped: it says that the header is invalid, and contains the value.
  }
}
