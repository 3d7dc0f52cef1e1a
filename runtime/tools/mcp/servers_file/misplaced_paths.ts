// Detects paths of the workspace in the command line of a program that does not start in the workspace.
import { isAbsolute, join } from "../../../../base/plain_path.ts";
import { redactText } from "../../../secrets/secret_marks.ts";
import type { ServerDefinition } from "./server_definition.ts";

type Program = Extract<ServerDefinition, { kind: "program" }>;

/**
 * Returns a clause about the arguments that seem to be paths of the workspace, and the remedy, if the program starts in its
 * own folder. The clause contains no secrets. Returns undefined if there are no such arguments.
 */
export function describeMisplacedPaths(program: Program): string | undefined {
  if (!program.startsInOwnFolder) return undefined;
  const { workspace, secrets } = program;
  const found = [
    ...new Set(wordsOf(program).filter((one) => seemsOfWorkspace(one, workspace))),
  ];
  if (found.length === 0) return undefined;
  const paths = found.map((one) => `"${redactText(one, secrets)}"`).join(" and ");
  return `it starts in a folder of its own, not in the workspace: write ${paths} in full, or give cwd`;
}

/** Returns the words of a command line that may be paths. Of an argument `--name=value`, returns the value. */
export function wordsOf({ command, args }: Pick<Program, "command" | "args">): string[] {
  const values = args.map((argument) => argument.replace(/^-[^=]*=/, ""));
  // A command without a slash is searched in PATH.
  return command.includes("/") ? [command, ...values] : values;
}

function seemsOfWorkspace(text: string, workspace: string): boolean {
  if (/^\.\.?(\/|$)/.test(text)) return true;
  return text !== "" && !isAbsolute(text) && kindOf(join(workspace, text)) !== "missing";
}

/** Returns the kind of a path. A text that is no path counts as missing: an argument may be a whole script. */
export function kindOf(path: string): "file" | "folder" | "missing" {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    // The path does not exist, or cannot be read.
    return "missing";
  }
}
