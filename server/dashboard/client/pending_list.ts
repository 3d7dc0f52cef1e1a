// What waits for a person, each question once: an execution that waits for one below it shows the same question.
import { ApiError, type Client } from "../../client.ts";
import type { PendingBody } from "../../request_schemas.ts";
import type { ExecutionSummary } from "../../schemas.ts";

/** A question, and the execution that asks it. */
export interface Waiting {
  execution: ExecutionSummary;
  pending: PendingBody;
}

/** The most executions whose questions are asked for at once. */
const MOST = 50;

/** The open questions, the one that waits longest first. */
export async function loadWaiting(client: Client): Promise<Waiting[]> {
  const executions = await client.executions({ status: ["waiting"], limit: MOST });
  const found = await Promise.all(executions.map(async (execution) => {
    try {
      return { execution, pending: await client.pending(execution.id) };
    } catch (error) {
      // Answered meanwhile.
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }));
  return eachOnce(found.filter((one) => one !== undefined));
}

/** One that was started by another has the higher id: it is the one that asks. */
function eachOnce(waiting: readonly Waiting[]): Waiting[] {
  const byRequest = new Map<string, Waiting>();
  for (const one of waiting) {
    const known = byRequest.get(one.pending.request_id);
    if (known === undefined || known.execution.id < one.execution.id) {
      byRequest.set(one.pending.request_id, one);
    }
  }
  return [...byRequest.values()].sort((a, b) =>
    a.pending.created_at.localeCompare(b.pending.created_at)
  );
}
