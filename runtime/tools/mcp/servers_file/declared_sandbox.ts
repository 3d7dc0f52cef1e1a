// `sandbox` of an entry in mcp-servers.json: the paths, hosts and variables of the server's program.
import { resolve } from "node:path";
import { z } from "zod";
import { filledText } from "../../../config/fields.ts";
import { expandHome } from "../../../config/places.ts";

/** The setting as written. `false`: the program runs without a sandbox. */
export const declaredSandbox = z.union([
  z.literal(false),
  z.strictObject({
    /** Files and folders to read, in addition to the program's own files. */
    read: z.array(filledText).default([]),
    /** Files and folders to read and write. Absent: the paths of the agents that name the server. */
    write: z.array(filledText).optional(),
    /**
     * Permitted hosts. Absent: the hosts of the addresses in the entry, and of the registry that its command installs from.
     */
    net: z.array(filledText).optional(),
    /** Variables that the program gets in addition to `env`. */
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be names of variables"))
      .default([]),
  }),
], { error: "must be false or an object with read, write, net and env" });

/** The access of a server's program beyond its own files. Null: everything. Paths are absolute. */
export interface ServerSandbox {
  read: string[];
  write: string[];
  net: string[];
}

/** The values that a server's sandbox is resolved with. */
export interface ServerSandboxContext {
  /** Fills in variables. */
  fill(text: string): string;
  /** Absolute. Relative paths start here. */
  workspace: string;
  /** The user's home folder. */
  home: string;
  /** Absolute. The writable paths of an entry without `write`. */
  agentPaths: readonly string[];
}

/** Resolves an entry's setting. `values` are its arguments and the values of its variables, filled in. */
export function resolveSandbox(
  declared: z.output<typeof declaredSandbox> | undefined,
  program: { command: string; values: readonly string[] },
  { fill, workspace, home, agentPaths }: ServerSandboxContext,
): ServerSandbox | null {
  if (declared === false) return null;
  const toPath = (text: string) => resolve(workspace, expandHome(fill(text), home));
  return {
    read: (declared?.read ?? []).map(toPath),
    write: declared?.write?.map(toPath) ?? [...agentPaths],
    net: declared?.net?.map(fill) ?? namedHosts(program),
  };
}

/** The registries that package runners install from. */
const REGISTRIES: Readonly<Record<string, readonly string[]>> = {
  npx: ["registry.npmjs.org"],
  bunx: ["registry.npmjs.org"],
  pnpm: ["registry.npmjs.org"],
  uvx: ["pypi.org", "files.pythonhosted.org"],
  uv: ["pypi.org", "files.pythonhosted.org"],
  pipx: ["pypi.org", "files.pythonhosted.org"],
};

function namedHosts({ command, values }: { command: string; values: readonly string[] }): string[] {
  const hosts = values.flatMap((value) =>
    [...value.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi)].flatMap(([address]) => {
      const host = URL.canParse(address) ? new URL(address).host : "";
      return host === "" ? [] : [host];
    })
  );
  const runner = command.split("/").at(-1) ?? "";
  const registry = Object.hasOwn(REGISTRIES, runner) ? REGISTRIES[runner] ?? [] : [];
  return [...new Set([...registry, ...hosts])];
}
