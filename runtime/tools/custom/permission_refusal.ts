// Rewrites Deno's permission errors in a worker for the readers of a tool's error.

import type { PathSandbox } from "../files/path_sandbox.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const REFUSAL =
  /Requires ([a-z]+) access(?: to ("[^"]*"))?, run again with the --allow-[a-z]+ flag/g;

/**
 * Returns Deno's message of a call for a person or a model.
 *
 * Decision: a missing path that the agent may read "does not exist", because a worker's permission list contains only
 * existing paths, and Deno refuses a missing one like a closed one.
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

/** Returns the message without the advice on Deno's flags, which does not apply here. */
export function withoutFlagAdvice(message: string): string {
  return message.replaceAll(
    REFUSAL,
    (_, kind: string, what: string | undefined) =>
      `This tool has no ${kind} access${what === undefined ? "" : ` to ${what}`}`,
  );
}
