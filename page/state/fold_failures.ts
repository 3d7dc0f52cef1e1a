// Latest executions without a flood: an agent that fails again and again is one row with its count.
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";

/** The latest of alike executions, and how many there are. */
export interface FoldedExecution {
  execution: ExecutionSummary;
  count: number;
}

/** Executions, the newest first, of which those of one agent that did not succeed in one way are one. */
export function foldFailures(executions: readonly ExecutionSummary[]): FoldedExecution[] {
  const folded = new Map<string, FoldedExecution>();
  for (const execution of executions) {
    const { id, agent_id, status } = execution;
    const key = status === "success" ? String(id) : `${status} ${agent_id}`;
    const alike = folded.get(key);
    if (alike === undefined) folded.set(key, { execution, count: 1 });
    else alike.count++;
  }
  return [...folded.values()];
}
