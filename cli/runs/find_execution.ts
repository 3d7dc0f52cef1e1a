// Requests executions and their questions from the service. Converts a response about an unknown number to an error for the
// user.
import { type Client, orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { commandFailed, type CommandFailure, misuse } from "../context/exit.ts";

/** The maximum number of entries in a response of the service. */
const PAGE = 500;

/** Requests all pages of a list and returns their entries, at most `most`. */
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

/** Returns the execution with this number. Throws CommandFailure if no execution has it. */
export async function findExecution(client: Client, id: number): Promise<ExecutionDetail> {
  const found = await orMissing(client.execution(id));
  if (found !== undefined) return found;
  throw noExecution(id, '"inkling logs" lists the last ones');
}

/**
 * Returns the open question of an execution. Throws CommandFailure if the execution has no open question or does not exist.
 */
export async function readPending(client: Client, id: number): Promise<PendingBody> {
  const pending = await orMissing(client.pending(id));
  if (pending !== undefined) return { ...pending, execution_id: id };
  const execution = await orMissing(client.execution(id));
  if (execution === undefined) {
    throw noExecution(id, '"inkling pending" lists those that wait for an answer');
  }
  throw commandFailed(
    `Execution ${id} does not wait for an answer: its status is ${execution.status}. ` +
      `"inkling pending" lists those that do`,
  );
}

function noExecution(id: number, remedy: string): CommandFailure {
  return misuse(`There is no execution ${id}. ${remedy}`);
}
