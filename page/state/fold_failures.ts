// Merges repeated failures of an agent into one row with a count.
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";

/** The latest of several similar executions, and the number of these executions. */
export interface FoldedExecution {
  execution: ExecutionSummary;
  count: number;
}

/**
 * Merges the unsuccessful executions of an agent that have the same status into one row each. `executions` are in the order
 * newest first.
 */
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
