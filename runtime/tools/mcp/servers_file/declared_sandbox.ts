// Resolves the field `sandbox` of an entry in mcp-servers.json: the paths, hosts and variables of the server's program.
import { resolve } from "../../../../base/plain_path.ts";
import { z } from "zod";
import { filledText } from "../../../config/fields.ts";
import { expandHome } from "../../../config/places.ts";
import { ownValue } from "../../../../base/json.ts";

/** The schema of the field `sandbox`. `false` means that the program runs without a sandbox. */
export const declaredSandbox = z.union([
  z.literal(false),
  z.strictObject({
    /** The files and folders that the program may read, in addition to its own files. */
    read: z.array(filledText).default([]),
    /** The files and folders that the program may read and write. Default: the paths of the agents that name the server. */
    write: z.array(filledText).optional(),
    /**
     * The hosts that the program may connect to. Default: the hosts of the URLs in the entry, and of the registry from
     * which its command installs packages.
     */
    net: z.array(filledText).optional(),
    /** The environment variables that the program gets from the service, in addition to `env`. */
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be names of variables"))
      .default([]),
  }),
], { error: "must be false or an object with read, write, net and env" });

/** The resolved access of a server's program, in addition to its own files. The paths are absolute. */
export interface ServerSandbox {
  read: string[];
  write: string[];
  net: string[];
}

/**
 * Returns the resolved field `sandbox`, or null if the field is `false`. `values` are the program's arguments and the
 * values of its variables, with variables filled in.
 */
export function resolveSandbox(
  declared: z.output<typeof declaredSandbox> | undefined,
  program: { command: string; values: readonly string[] },
  { fill, workspace, home, agentPaths }: {
    /** Returns the text with its variables filled in. */
    fill(text: string): string;
    /** The absolute path of the workspace. Relative paths in the field start here. */
    workspace: string;
    /** The user's home folder. */
    home: string;
    /** The absolute paths that are writable if the field has no `write`. */
    agentPaths: readonly string[];
  },
): ServerSandbox | null {
  if (declared === false) return null;
  const toPath = (text: string) => resolve(workspace, expandHome(fill(text), home));
  return {
    read: (declared?.read ?? []).map(toPath),
    write: declared?.write?.map(toPath) ?? [...agentPaths],
    net: declared?.net?.map(fill) ?? namedHosts(program),
  };
}

/** The hosts of the registries from which package runners install packages, by command. */
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
  const registry = ownValue(REGISTRIES, runner) ?? [];
  return [...new Set([...registry, ...hosts])];
}
