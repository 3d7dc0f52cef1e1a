// Paths of the workspace in the command line of a program that starts elsewhere: it looks for them in its own folder.
import { isAbsolute, join } from "node:path";
import { redactText } from "../../../secrets/secret_marks.ts";
import type { ServerDefinition } from "./server_definition.ts";

type Program = Extract<ServerDefinition, { kind: "program" }>;

/**
 * What is odd about the command line of a program that starts in its own folder: what seems to be meant from the workspace,
 * and what to do; a sentence's end, without secrets. Undefined where nothing is.
 */
export function describeMisplacedPaths(program: Program): string | undefined {
  if (!program.startsInOwnFolder) return undefined;
  const { command, args, workspace, secrets } = program;
  // A command without a slash is looked for in PATH.
  const named = [...(command.includes("/") ? [command] : []), ...args.map(valueOf)];
  const found = [...new Set(named.filter((one) => seemsOfWorkspace(one, workspace)))];
  if (found.length === 0) return undefined;
  const paths = found.map((one) => `"${redactText(one, secrets)}"`).join(" and ");
  return `it starts in a folder of its own, not in the workspace: write ${paths} in full, or give cwd`;
}

/** The argument, or what follows `--name=`. */
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
    // Not there, or nothing that can be looked at: whole scripts stand among arguments, too.
    return false;
  }
}
