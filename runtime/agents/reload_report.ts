// Creates the report about a reload of the agents directory. An agent whose file stops parsing keeps its last valid
// definition and counts as updated, because its warnings have changed.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { AgentEntry } from "./agent_entry.ts";

/** The ids of agents that a reload added, updated or removed, and the errors. */
export interface ReloadReport {
  loaded: number;
  added: string[];
  /** The ids of agents whose definition or whose file's problems have changed. */
  updated: string[];
  removed: string[];
  /** The errors of every file that does not parse, even if an older definition of the agent is in use. */
  errors: Diagnostic[];
}

/** Compares the entries of two loads. Of `diagnostics`, only errors are reported. */
export function toReloadReport(
  { before, now }: Record<"before" | "now", ReadonlyMap<string, AgentEntry>>,
  diagnostics: readonly Diagnostic[],
): ReloadReport {
  const was = (id: string) => before.get(id)?.good?.hash;
  const is = (id: string) => now.get(id)?.good?.hash;
  const hasChanged = (id: string) =>
    was(id) !== is(id) || problemsOf(before.get(id)) !== problemsOf(now.get(id));
  const live = [...now.keys()].filter((id) => is(id) !== undefined);
  return {
    loaded: live.length,
    added: live.filter((id) => was(id) === undefined),
    updated: live.filter((id) => was(id) !== undefined && hasChanged(id)),
    removed: [...before.keys()].filter((id) => was(id) !== undefined && is(id) === undefined),
    errors: diagnostics.filter(({ severity }) => severity === "error"),
  };
}

/** Returns the problems of a file as a text to compare. A file with the same problems as before has not changed. */
function problemsOf(entry: AgentEntry | undefined): string {
  return JSON.stringify(entry?.diagnostics ?? []);
}
