// The report of a reload of the agents directory. An agent whose file stops parsing keeps its last good definition.
// It counts as updated, because its warnings have changed.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { AgentEntry } from "./agent_entry.ts";

/** The changes of a reload, by agent id. */
export interface ReloadReport {
  loaded: number;
  added: string[];
  /** Agents with another definition, or with other problems in their file. */
  updated: string[];
  removed: string[];
  /** The errors of every file that does not parse now, even when an older definition of it stays live. */
  errors: Diagnostic[];
}

/** Compares the previous entries with the present ones. Only errors of `diagnostics` are reported. */
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

/** Returns the file's problems as text. A file that stays broken in the same way has not changed. */
function problemsOf(entry: AgentEntry | undefined): string {
  return JSON.stringify(entry?.diagnostics ?? []);
}
