// What a reload of the agents directory has changed. An agent whose file stops parsing keeps its last good definition; it
// counts as updated, because its warnings have changed.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { AgentEntry } from "./agent_entry.ts";

/** What a reload changed, by agent id. */
export interface ReloadReport {
  loaded: number;
  added: string[];
  /** Another definition, or the same one with other problems in the file. */
  updated: string[];
  removed: string[];
  /** Errors of every file that does not parse now, whether an older definition of it stays live or not. */
  errors: Diagnostic[];
}

/** Compares the entries of before with those of now; the errors of `diagnostics` are reported. */
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

/** What is wrong with the file, as text to compare: a file that stays broken in the same way has not changed. */
function problemsOf(entry: AgentEntry | undefined): string {
  return JSON.stringify(entry?.diagnostics ?? []);
}
