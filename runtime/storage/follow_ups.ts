// The table of ends that are still to start the agents that follow: written with the end, taken with the run.
import type { FollowUp, FollowUpStore } from "../triggers/after/follow_up_store.ts";
import type { Database } from "./database.ts";
import { all, type Operation, run } from "./operation.ts";

/** Stores that an end starts these agents, as part of the transaction that ends the execution. */
export function* insertFollowUps(
  executionId: number,
  agentIds: readonly string[],
): Operation<void> {
  for (const agentId of agentIds) {
    yield* run(
      "INSERT INTO follow_ups (agent_id, execution_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
      agentId,
      executionId,
    );
  }
}

/** Takes an end out; whether it was there. Belongs into the transaction that creates the execution it starts. */
export function* takeFollowUp(agentId: string, executionId: number): Operation<boolean> {
  return (yield* run(
    "DELETE FROM follow_ups WHERE agent_id = ? AND execution_id = ?",
    agentId,
    executionId,
  )) > 0;
}

/** Ends that are to be followed. */
export class SqlFollowUpStore implements FollowUpStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  listFollowUps(): Promise<FollowUp[]> {
    return this.#db.read(function* () {
      const rows = yield* all<FollowUp>(
        'SELECT f.agent_id AS follower, e.id AS "executionId", e.agent_id AS "agentId", ' +
          'e.display_name AS "displayName", e.status, e.error, e.output_data AS output, ' +
          "CASE e.trigger WHEN 'after' THEN CAST(coalesce(e.request ->> '$.cause.depth', '0') AS INTEGER) ELSE 0 END AS depth " +
          "FROM follow_ups f JOIN executions e ON e.id = f.execution_id " +
          "ORDER BY f.execution_id, f.agent_id",
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  dropFollowUp(
    { follower, executionId }: Pick<FollowUp, "follower" | "executionId">,
  ): Promise<void> {
    return this.#db.change("power", function* () {
      yield* takeFollowUp(follower, executionId);
    });
  }
}
