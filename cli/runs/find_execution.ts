// Executions and their questions: one by its id, or what to type to find one; and all of a list.
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { CommandFailure, EXIT } from "../exit.ts";

/** The most that the service returns at once. */
const PAGE = 500;

/** Page after page, until there are no more, or `most` are there. */
export async function readPages<T>(
  read: (page: { limit: number; offset: number }) => Promise<T[]>,
  most = Infinity,
): Promise<T[]> {
  const found: T[] = [];
  while (found.length < most) {
    const limit = Math.min(PAGE, most - found.length);
    const page = await read({ limit, offset: found.length });
    found.push(...page);
    if (page.length < limit) break;
  }
  return found;
}

/** Throws CommandFailure for an id without an execution. */
export async function findExecution(client: Client, id: number): Promise<ExecutionDetail> {
  const found = await orMissing(client.execution(id));
  if (found !== undefined) return found;
  throw noExecution(id, '"inkling logs" shows the last ones');
}

/** Returns the open question of an execution. Throws CommandFailure if there is none. */
export async function readPending(client: Client, id: number): Promise<PendingBody> {
  const pending = await orMissing(client.pending(id));
  if (pending !== undefined) return { ...pending, execution_id: id };
  const execution = await orMissing(client.execution(id));
  if (execution === undefined) {
    throw noExecution(id, '"inkling pending" shows which wait for an answer');
  }
  throw new CommandFailure(
    EXIT.failed,
    `Execution ${id} does not wait for an answer: its status is ${execution.status}. ` +
      `"inkling pending" shows which do`,
  );
}

function noExecution(id: number, remedy: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `There is no execution ${id}. ${remedy}`);
}
