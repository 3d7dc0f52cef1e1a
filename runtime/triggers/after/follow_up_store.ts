// The table of follow-ups: ended executions that still have to start a following agent. A row is inserted in the transaction of
// the end, and removed in the transaction of the new run.
import type { Database } from "../../database/database.ts";
import { all, type Operation, run } from "../../database/operation.ts";

/** An ended execution and the agent to start because of it. */
export interface FollowUp {
  /** The agent to start. */
  follower: string;
  /** The execution that ended, and its agent. */
  executionId: number;
  agentId: string;
  displayName: string;
  status: string;
  error: string | null;
  output: string | null;
  /** The length of the chain of `after` triggers that led to the ended execution. */
  depth: number;
}

/** Stores the agents that an end starts, in the transaction that ends the execution. */
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

/** Removes a follow-up and reports if it was there. Runs in the transaction that creates the following execution. */
export function* removeFollowUp(agentId: string, executionId: number): Operation<boolean> {
  return (yield* run(
    "DELETE FROM follow_ups WHERE agent_id = ? AND execution_id = ?",
    agentId,
    executionId,
  )) > 0;
}

/** The follow-ups of one database. */
export class SqlFollowUpStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns all follow-ups, in the order of the ended executions. */
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

  /** Removes a follow-up without a run. */
  dropFollowUp(
    { follower, executionId }: Pick<FollowUp, "follower" | "executionId">,
  ): Promise<void> {
    return this.#db.change("power", function* () {
      yield* removeFollowUp(follower, executionId);
    });
  }
}
