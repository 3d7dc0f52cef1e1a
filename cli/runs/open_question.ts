// The open question of one execution, or why it has none.
import { ApiError, type Client } from "../../server/client.ts";
import type { PendingBody } from "../../server/schemas/request_schemas.ts";
import { CommandFailure, EXIT } from "../exit.ts";

/** What an execution asks. Throws CommandFailure where it asks nothing. */
export async function readPending(client: Client, id: number): Promise<PendingBody> {
  try {
    return { ...await client.pending(id), execution_id: id };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw await notWaiting(client, id);
  }
}

/** Why an execution has no question. */
async function notWaiting(client: Client, id: number): Promise<CommandFailure> {
  try {
    const { status } = await client.execution(id);
    return new CommandFailure(
      EXIT.failed,
      `Execution ${id} does not wait for an answer: its status is ${status}. ` +
        `"inkling pending" shows which do`,
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return new CommandFailure(
      EXIT.usage,
      `There is no execution ${id}. "inkling pending" shows which wait for an answer`,
    );
  }
}
