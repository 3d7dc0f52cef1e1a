// Rewrites the messages of Deno's permission errors in a worker. The people and models that read a tool's error cannot set
// Deno's flags.

import type { PathSandbox } from "../files/path_sandbox.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const REFUSAL =
  /Requires ([a-z]+) access(?: to ("[^"]*"))?, run again with the --allow-[a-z]+ flag/g;

/**
 * Returns the message of an error of a call with its permission errors rewritten.
 *
 * Decision: a missing path that the agent may read "does not exist", because a worker's permissions contain only existing
 * paths, and Deno refuses a missing path like a closed one.
 */
export async function describeRefusal(
  message: string,
  sandbox: Pick<PathSandbox, "resolve">,
): Promise<string> {
  let described = message;
  for (const [whole, kind, what] of message.matchAll(REFUSAL)) {
    if (kind !== "read" || what === undefined || !await isMissing(what.slice(1, -1), sandbox)) {
      continue;
    }
    described = described.replace(whole, `${what} does not exist`);
  }
  return withoutFlagAdvice(described);
}

async function isMissing(path: string, sandbox: Pick<PathSandbox, "resolve">): Promise<boolean> {
  try {
    return !(await sandbox.resolve(path, "read")).exists;
  } catch (error) {
    if (error instanceof ToolFailure) return false;
    throw error;
  }
}

/** Returns the message of a permission error without Deno's advice to add a flag. */
export function withoutFlagAdvice(message: string): string {
  return message.replaceAll(
    REFUSAL,
    (_, kind: string, what: string | undefined) =>
      `This tool has no ${kind} access${what === undefined ? "" : ` to ${what}`}`,
  );
}
