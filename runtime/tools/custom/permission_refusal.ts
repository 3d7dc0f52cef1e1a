// Deno's message for something that a worker may not do, as a message for whoever reads a tool's error.

import type { PathSandbox } from "../files/path_sandbox.ts";
import { ToolFailure } from "../tool_failure.ts";

const REFUSAL =
  /Requires ([a-z]+) access(?: to ("[^"]*"))?, run again with the --allow-[a-z]+ flag/g;

/**
 * Deno's message of a call for a person or a model. Decision: a path that the agent may read and that is missing "does not exist",
 * because the list of a worker's permissions names only what is there, so that Deno refuses it like a closed one.
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

/** The message without the advice to start Deno otherwise, which does not apply here. */
export function withoutFlagAdvice(message: string): string {
  return message.replaceAll(
    REFUSAL,
    (_, kind: string, what: string | undefined) =>
      `This tool has no ${kind} access${what === undefined ? "" : ` to ${what}`}`,
  );
}
