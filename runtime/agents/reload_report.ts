// What reading the agents directory again has changed. Definitions count, not files: one that stops parsing keeps its last.
import type { Diagnostic } from "../diagnostics.ts";
import type { AgentEntry } from "./agent_entry.ts";

/** What a reload changed, by agent id. */
export interface ReloadReport {
  loaded: number;
  added: string[];
  updated: string[];
  removed: string[];
  /** Errors of every file that does not parse now, whether an older definition of it stays live or not. */
  errors: Diagnostic[];
}

/** The entries of before held against those of now; of `diagnostics` the errors are told. */
export function toReloadReport(
  { before, now }: Record<"before" | "now", ReadonlyMap<string, AgentEntry>>,
  diagnostics: readonly Diagnostic[],
): ReloadReport {
  const was = (id: string) => before.get(id)?.good?.hash;
  const is = (id: string) => now.get(id)?.good?.hash;
  const live = [...now.keys()].filter((id) => is(id) !== undefined);
  return {
    loaded: live.length,
    added: live.filter((id) => was(id) === undefined),
    updated: live.filter((id) => was(id) !== undefined && was(id) !== is(id)),
    removed: [...before.keys()].filter((id) => was(id) !== undefined && is(id) === undefined),
    errors: diagnostics.filter(({ severity }) => severity === "error"),
  };
}
