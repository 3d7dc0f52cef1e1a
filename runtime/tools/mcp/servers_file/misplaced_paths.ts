// Detects workspace paths in the command line of a program that starts in another folder.
import { isAbsolute, join } from "node:path";
import { redactText } from "../../../secrets/secret_marks.ts";
import type { ServerDefinition } from "./server_definition.ts";

type Program = Extract<ServerDefinition, { kind: "program" }>;

/**
 * Describes the arguments of a program in its own folder that seem to be paths of the workspace, and the remedy, as the end
 * of a sentence without secrets. Returns undefined for none.
 */
export function describeMisplacedPaths(program: Program): string | undefined {
  if (!program.startsInOwnFolder) return undefined;
  const { command, args, workspace, secrets } = program;
  // A command without a slash is found in PATH.
  const named = [...(command.includes("/") ? [command] : []), ...args.map(valueOf)];
  const found = [...new Set(named.filter((one) => seemsOfWorkspace(one, workspace)))];
  if (found.length === 0) return undefined;
  const paths = found.map((one) => `"${redactText(one, secrets)}"`).join(" and ");
  return `it starts in a folder of its own, not in the workspace: write ${paths} in full, or give cwd`;
}

/** Returns the argument, or the value in `--name=value`. */
function valueOf(argument: string): string {
  return argument.replace(/^-[^=]*=/, "");
}

function seemsOfWorkspace(text: string, workspace: string): boolean {
  if (/^\.\.?(\/|$)/.test(text)) return true;
  if (text === "" || isAbsolute(text)) return false;
  try {
    Deno.statSync(join(workspace, text));
    return true;
  } catch {
    // The path is missing, closed, or no path at all: arguments may be whole scripts.
    return false;
  }
}
