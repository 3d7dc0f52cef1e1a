// Detects copies of agent files that sync programs and file managers make, such as "report 2.md" and "report-LAPTOP.md"
// beside report.md.
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import type { Agent } from "./agent.ts";

/** Matches the marks that sync programs and file managers add to a copy's name, before the extension. */
const MARK =
  /(?: \d+| copy(?: \d+)?| - copy(?: \(\d+\))?| \(\d+\)| \([^()]*conflicted copy[^()]*\)|\.sync-conflict-[\w-]+)$/i;

/** An agent as its file was read. */
export interface ReadAgent {
  agent: Agent;
  /** The hash of the file's bytes. */
  hash: string;
  /** True if the file contains `enabled: true`. */
  isExplicit: boolean;
}

/** Returns the id without the mark of a copy, if `has` returns true for it. Undefined for a name without a mark. */
export function markedOriginal(id: string, has: (id: string) => boolean): string | undefined {
  const original = id.replace(MARK, "");
  return original !== id && has(original) ? original : undefined;
}

/**
 * Returns the warning for an agent that is a copy of another agent with the same trigger. Undefined for any other agent.
 * `hosts` returns the known host names.
 */
export function diagnoseCopy(
  read: ReadAgent,
  { readOf, hosts }: { readOf: (id: string) => ReadAgent | undefined; hosts: () => string[] },
): Diagnostic | undefined {
  const { agent: { id, sourcePath }, hash, isExplicit } = read;
  if (isExplicit) return undefined;
  const isTwin = (other: string) => {
    const { agent } = readOf(other) ?? {};
    return agent !== undefined && agent.enabled && firesAs(agent) === firesAs(read.agent);
  };
  const isCopyOf = (other: string, rest: string) =>
    readOf(other)?.hash === hash || hosts().some((host) => host.toLowerCase() === rest);
  const longer = [...id.matchAll(/[ _-]/g)].map(({ index }) => index)
    .filter((index) => isTwin(id.slice(0, index)))
    .find((index) => isCopyOf(id.slice(0, index), id.slice(index + 1).toLowerCase()));
  const original = markedOriginal(id, isTwin) ??
    (longer === undefined ? undefined : id.slice(0, longer));
  return original === undefined ? undefined : describeCopy(sourcePath, original);
}

/**
 * Returns the warning for a copied file. `isName` is true if the file's name is no valid agent name, so that `enabled:
 * true` would not be enough.
 */
export function describeCopy(
  path: string,
  original: string,
  { isName = false } = {},
): Diagnostic {
  return {
    ...errorAtStart(path, `This is a copy of ${original}.md and is not enabled`),
    severity: "warning",
    hint: `remove it, or ${isName ? "rename it" : "write enabled: true"} if both are to fire`,
  };
}

/**
 * Returns the agent's trigger as a text to compare. Returns the id of an agent that starts only on request, so that it is
 * never a copy.
 */
function firesAs({ id, trigger, after, enabled, onlyOn }: Agent): string {
  const isAsked = !enabled || (trigger.type === "manual" && after.length === 0);
  return JSON.stringify(isAsked ? id : [trigger, after, onlyOn]);
}
