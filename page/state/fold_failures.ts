// Merges repeated failures of an agent into one row with a count.
import type { ListedExecution } from "../../api/schemas/execution_schemas.ts";

/**
 * Merges the unsuccessful executions of an agent that have the same status: returns the latest of them with their number.
 * `executions` are in the order newest first.
 */
export function foldFailures(
  executions: readonly ListedExecution[],
): (ListedExecution & { count: number })[] {
  const folded = new Map<string, ListedExecution & { count: number }>();
  for (const execution of executions) {
    const { id, agent_id, status } = execution;
    const key = status === "success" ? String(id) : `${status} ${agent_id}`;
    const alike = folded.get(key);
    if (alike === undefined) folded.set(key, { ...execution, count: 1 });
    else alike.count++;
  }
  return [...folded.values()];
}
