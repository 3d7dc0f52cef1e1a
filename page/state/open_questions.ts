// Loads the open questions, each once: an execution that waits for a delegated execution shows the question of that
// execution.
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail, ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { questionKey } from "../../present/asked_sign_in.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";

/** An open question with its execution. */
export interface OpenQuestion {
  execution: ExecutionSummary;
  pending: PendingBody;
}

/** The loaded questions, oldest first. */
export interface OpenQuestions {
  questions: OpenQuestion[];
  /** True if there are older waiting executions, whose questions are not loaded. */
  hasMore: boolean;
}

/** The maximum number of executions whose questions are loaded. */
const MOST = 20;

/** Loads the questions of the newest waiting executions. */
export async function loadOpenQuestions(client: Client): Promise<OpenQuestions> {
  const executions = await client.executions({ status: ["waiting"], limit: MOST + 1 });
  const found = await Promise.all(
    executions.slice(0, MOST).map(async (execution) => {
      const pending = await loadPending(client, execution.id);
      return pending === null ? undefined : { execution, pending };
    }),
  );
  return {
    questions: uniqueQuestions(found.filter((one) => one !== undefined)),
    hasMore: executions.length > MOST,
  };
}

/** Loads the question of an execution; null if it was answered in the meantime. */
async function loadPending(client: Client, id: number): Promise<PendingBody | null> {
  return await orMissing(client.pending(id)) ?? null;
}

/** Loads an execution and, while it waits, its question. */
export async function loadExecution(
  client: Client,
  id: number,
): Promise<{ execution: ExecutionDetail; pending: PendingBody | null }> {
  const execution = await client.execution(id);
  const pending = execution.status === "waiting" ? await loadPending(client, id) : null;
  return { execution, pending };
}

/** Returns the number of questions as text: `3`, `20+`; null for none. */
export function formatQuestionCount(list: OpenQuestions | undefined): string | null {
  if (list === undefined || list.questions.length === 0) return null;
  return `${list.questions.length}${list.hasMore ? "+" : ""}`;
}

/**
 * Returns each question once, with the execution that asks. Of the executions with the same question, this is the one with
 * the highest id, because a delegated execution is newer than its parent.
 */
function uniqueQuestions(waiting: readonly OpenQuestion[]): OpenQuestion[] {
  const byRequest = new Map<string, OpenQuestion>();
  for (const one of waiting) {
    const key = questionKey(one.pending);
    const known = byRequest.get(key);
    if (known === undefined || known.execution.id < one.execution.id) byRequest.set(key, one);
  }
  return [...byRequest.values()].sort((a, b) =>
    a.pending.created_at.localeCompare(b.pending.created_at)
  );
}
