// Reads executions and their questions from the service, with errors for unknown ids.
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";

/** The largest page that the service returns. */
const PAGE = 500;

/** Reads all pages of a list, up to `most` entries. */
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

/** Returns an execution. Throws CommandFailure for an unknown id. */
export async function findExecution(client: Client, id: number): Promise<ExecutionDetail> {
  const found = await orMissing(client.execution(id));
  if (found !== undefined) return found;
  throw noExecution(id, '"inkling logs" lists the last ones');
}

/** Returns the open question of an execution. Throws CommandFailure if there is none. */
export async function readPending(client: Client, id: number): Promise<PendingBody> {
  const pending = await orMissing(client.pending(id));
  if (pending !== undefined) return { ...pending, execution_id: id };
  const execution = await orMissing(client.execution(id));
  if (execution === undefined) {
    throw noExecution(id, '"inkling pending" lists those that wait for an answer');
  }
  throw new CommandFailure(
    EXIT.failed,
    `Execution ${id} does not wait for an answer: its status is ${execution.status}. ` +
      `"inkling pending" lists those that do`,
  );
}

function noExecution(id: number, remedy: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `There is no execution ${id}. ${remedy}`);
}
