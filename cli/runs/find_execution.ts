// An execution by its id, or what to type to find one.
import { ApiError, type Client } from "../../server/client.ts";
import type { ExecutionDetail } from "../../server/schemas/execution_schemas.ts";
import { CommandFailure, EXIT } from "../exit.ts";

/** Throws CommandFailure for an id without an execution. */
export async function findExecution(client: Client, id: number): Promise<ExecutionDetail> {
  try {
    return await client.execution(id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CommandFailure(
      EXIT.usage,
      `There is no execution ${id}. "inkling logs" shows the last ones`,
    );
  }
}
