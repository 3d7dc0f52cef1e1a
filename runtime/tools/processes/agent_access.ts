// Determines the paths and the working folder of a program that an agent starts.
import { stat } from "node:fs/promises";
import type { SandboxRules } from "../../sandbox/sandbox_rules.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";

/** Returns the sandbox rules of a program: the agent's paths, `read` in addition to them, and no network. */
export async function agentRules(
  sandbox: PathSandbox,
  { read = [] }: { read?: readonly string[] } = {},
): Promise<SandboxRules> {
  const roots = await sandbox.roots();
  const pathsOf = (wanted: "read" | "write") =>
    roots.flatMap(({ path, access }) => access === wanted ? [path] : []);
  return {
    read: [...read, ...pathsOf("read")],
    write: pathsOf("write"),
    closed: sandbox.closedFolders,
    net: "none",
  };
}

/** Returns the agent's first writable folder, or the workspace if there is none. */
export async function workingFolder(sandbox: PathSandbox): Promise<string> {
  for (const { path, access } of await sandbox.roots()) {
    const isFolder = await stat(path).then((info) => info.isDirectory(), () => false);
    if (access === "write" && isFolder) return path;
  }
  return sandbox.workspace;
}
