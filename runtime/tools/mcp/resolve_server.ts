// Fills the variables of a declared server in, and says what is wrong with what comes out. Values are never repeated.
import { resolve } from "node:path";
import { isSecretName, type Secret, SHORTEST_SECRET } from "../../secrets/secret.ts";
import type { DeclaredServer, ServerDefinition } from "./server_definition.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * What a program gets of our environment besides what its entry declares: where things are and who runs it. Never a key:
 * a server sees only what a person gave it.
 */
const INHERITED = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/** A definition, or why there is none: the end of a sentence. */
export type ResolvedServer = { definition: ServerDefinition } | { problem: string };

/** Expands `${NAME}` in the command, arguments, environment values, folder, url and headers. */
export function resolveServer(
  server: DeclaredServer,
  options: {
    lookup: (name: string) => string | undefined;
    /** Absolute; what a program's `cwd` is relative to. */
    workspace: string;
    /** Absolute; where a program without `cwd` starts. */
    ownFolder: string;
  },
): ResolvedServer {
  const expansion = new Expansion(options.lookup);
  const definition = server.kind === "program"
    ? toProgram(server.declared, { ...options, expansion })
    : toEndpoint(server.declared, expansion);
  if (expansion.undefinedNames.size > 0) {
    const names = [...expansion.undefinedNames].map((name) => `\${${name}}`).join(", ");
    return { problem: `${names} is not defined: set it in the workspace's .env or in the shell` };
  }
  if ("problem" in definition) return definition;
  const secrets = expansion.secrets().sort((a, b) => b.value.length - a.value.length);
  return { definition: { ...definition, secrets } };
}

type Program = Extract<DeclaredServer, { kind: "program" }>["declared"];
type Endpoint = Extract<DeclaredServer, { kind: "endpoint" }>["declared"];

function toProgram(
  declared: Program,
  context: {
    expansion: Expansion;
    workspace: string;
    ownFolder: string;
    lookup: (name: string) => string | undefined;
  },
): Omit<Extract<ServerDefinition, { kind: "program" }>, "secrets"> | { problem: string } {
  const { expansion, workspace, ownFolder, lookup } = context;
  const env: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = lookup(name);
    // A value that a shell would take for a function definition is of no use to a server.
    if (value !== undefined && !value.startsWith("()")) env[name] = value;
  }
  for (const [name, written] of Object.entries(declared.env)) {
    const value = expansion.fill(written);
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      return { problem: "env has a name or a value that is not allowed in an environment" };
    }
    if (isSecretName(name)) expansion.hide(name, value);
    env[name] = value;
  }
  const command = expansion.fill(declared.command);
  const args = declared.args.map((one) => expansion.fill(one));
  if ([command, ...args].some((one) => one.includes("\0"))) {
    return { problem: "the command line contains a NUL character" };
  }
  const cwd = declared.cwd === undefined
    ? ownFolder
    : resolve(workspace, expansion.fill(declared.cwd));
  const startsInOwnFolder = declared.cwd === undefined;
  return { kind: "program", command, args, env, cwd, startsInOwnFolder, workspace };
}

function toEndpoint(
  declared: Endpoint,
  expansion: Expansion,
): Omit<Extract<ServerDefinition, { kind: "endpoint" }>, "secrets"> | { problem: string } {
  const text = expansion.fill(declared.url);
  const headers = Object.fromEntries(
    Object.entries(declared.headers).map(([name, value]) => [name, expansion.fill(value)]),
  );
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value)) return { problem: `headers.${name} is not a valid HTTP header` };
    expansion.hide(name, value);
    // `Bearer TOKEN`: a server that complains repeats the token alone.
    expansion.hide(name, value.split(" ").at(-1) ?? "");
  }
  if (!URL.canParse(text)) return { problem: "its url is not a valid URL" };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { problem: `its url must begin with http:// or https://, not ${url.protocol}` };
  }
  if (url.username !== "" || url.password !== "") {
    return { problem: "its url contains a user or a password: use headers.Authorization instead" };
  }
  for (const [name, value] of url.searchParams) expansion.hide(name, value);
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

/** Fills variables in and remembers which values came from where. */
class Expansion {
  readonly undefinedNames = new Set<string>();
  readonly #hidden = new Map<string, Secret>();
  readonly #lookup: (name: string) => string | undefined;

  constructor(lookup: (name: string) => string | undefined) {
    this.#lookup = lookup;
  }

  fill(text: string): string {
    return text.replaceAll(VARIABLE, (whole, name: string) => {
      const value = this.#lookup(name);
      if (value === undefined) {
        this.undefinedNames.add(name);
        return whole;
      }
      if (isSecretName(name)) this.hide(name, value);
      return value;
    });
  }

  hide(name: string, value: string): void {
    const trimmed = value.trim();
    if (trimmed.length >= SHORTEST_SECRET) this.#hidden.set(trimmed, { name, value: trimmed });
  }

  secrets(): Secret[] {
    return [...this.#hidden.values()];
  }
}
