// The table of follow-ups. A follow-up is an ended execution together with an agent that its end must start (`after`). The
// transaction that ends the execution inserts the row. The transaction that creates the new execution removes it.
import type { Database } from "../../database/database.ts";
import { all, type Operation, run, send } from "../../database/operation.ts";

/** A follow-up: an ended execution, and an agent to start because of its end. */
export interface FollowUp {
  /** The id of the agent to start. */
  follower: string;
  /** The id of the ended execution. */
  executionId: number;
  agentId: string;
  displayName: string;
  status: string;
  error: string | null;
  output: string | null;
  /** The number of consecutive `after` runs that led to the ended execution; 0 if another trigger started it. */
  depth: number;
}

/** Stores one follow-up for each agent to start. Runs in the transaction that ends the execution. */
export function* insertFollowUps(
  executionId: number,
  agentIds: readonly string[],
): Operation<void> {
  for (const agentId of agentIds) {
    yield* send(
      "INSERT INTO follow_ups (agent_id, execution_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
      agentId,
      executionId,
    );
  }
}

/** Removes a follow-up. Returns false if it did not exist. Runs in the transaction that creates the new execution. */
export function* removeFollowUp(agentId: string, executionId: number): Operation<boolean> {
  return (yield* run(
    "DELETE FROM follow_ups WHERE agent_id = ? AND execution_id = ?",
    agentId,
    executionId,
  )) > 0;
}

/** Reads and removes the follow-ups of one database. */
export class SqlFollowUpStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns all follow-ups, in the order in which their executions ended. */
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

  /** Removes a follow-up without starting its agent. */
  dropFollowUp(
    { follower, executionId }: Pick<FollowUp, "follower" | "executionId">,
  ): Promise<void> {
    return this.#db.change("power", function* () {
      yield* removeFollowUp(follower, executionId);
    });
  }
}
