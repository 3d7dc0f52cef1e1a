// What waits for a person, each question once: an execution that waits for one below it shows the same question.
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";

/** A question, and the execution that asks it. */
export interface Waiting {
  execution: ExecutionSummary;
  pending: PendingBody;
}

/** The open questions, the one that waits longest first. */
export interface WaitingList {
  questions: Waiting[];
  /** Whether older executions wait, too. */
  hasMore: boolean;
}

/** The most executions whose questions are asked for at once. */
const MOST = 20;

/** Asks for the questions of the newest executions that wait. */
export async function loadWaiting(client: Client): Promise<WaitingList> {
  const executions = await client.executions({ status: ["waiting"], limit: MOST + 1 });
  const found = await Promise.all(
    executions.slice(0, MOST).map(async (execution) => {
      const pending = await loadPending(client, execution.id);
      return pending === null ? undefined : { execution, pending };
    }),
  );
  return {
    questions: eachOnce(found.filter((one) => one !== undefined)),
    hasMore: executions.length > MOST,
  };
}

/** What an execution waits for; null where it was answered meanwhile. */
export async function loadPending(client: Client, id: number): Promise<PendingBody | null> {
  return await orMissing(client.pending(id)) ?? null;
}

/** How many questions there are: `3`, `20+`; null for none. */
export function toCount(list: WaitingList | undefined): string | null {
  if (list === undefined || list.questions.length === 0) return null;
  return `${list.questions.length}${list.hasMore ? "+" : ""}`;
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
