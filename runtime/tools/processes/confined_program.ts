// Puts a program that an agent starts into the sandbox: its paths, its working folder, and errors as failures for the model.
import { stat } from "node:fs/promises";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import {
  type SandboxedProgram,
  SandboxFailure,
  type SandboxRules,
} from "../../sandbox/sandbox_rules.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";

/**
 * Returns the command that runs the program in the sandbox, like ProcessSandbox.confine(). Throws ToolFailure instead of
 * SandboxFailure.
 */
export async function confineProgram(
  sandbox: ProcessSandbox,
  program: SandboxedProgram,
  rules: SandboxRules,
): Promise<SandboxedProgram> {
  try {
    return await sandbox.confine(program, rules);
  } catch (error) {
    if (!(error instanceof SandboxFailure)) throw error;
    const message = error.kind === "no_sandbox"
      ? error.message
      : `Cannot start ${program.program}: ${error.message}.`;
    throw new ToolFailure(message, { cause: error });
  }
}

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
