// Copies of agent files that sync programs and file managers make: "report 2.md", "report-LAPTOP.md" beside report.md.
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import type { Agent } from "./agent.ts";

/** The marks that sync programs and file managers add to the stem of a file's name. */
const MARK =
  /(?: \d+| copy(?: \d+)?| - copy(?: \(\d+\))?| \(\d+\)| \([^()]*conflicted copy[^()]*\)|\.sync-conflict-[\w-]+)$/i;

/** An agent file as it was read. */
export interface ReadAgent {
  agent: Agent;
  /** The hash of the file's bytes. */
  hash: string;
  /** True when the file says `enabled: true`. */
  isExplicit: boolean;
}

/**
 * Returns the id of the file that a copy's mark points to; undefined when the name has no mark or that file does not
 * exist.
 */
export function markedOriginal(id: string, has: (id: string) => boolean): string | undefined {
  const original = id.replace(MARK, "");
  return original !== id && has(original) ? original : undefined;
}

/**
 * Returns the warning for an agent that copies a neighbor with the same trigger; undefined for any other. `hosts`
 * returns the known host names.
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

/** Returns the warning for a copied file. `isName`: the file's name is no agent name. */
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

/** Returns the agent's trigger as comparable text. An agent without a trigger gets its id, so it is no copy. */
function firesAs({ id, trigger, after, enabled, onlyOn }: Agent): string {
  const isAsked = !enabled || (trigger.type === "manual" && after.length === 0);
  return JSON.stringify(isAsked ? id : [trigger, after, onlyOn]);
}
