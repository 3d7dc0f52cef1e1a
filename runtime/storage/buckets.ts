// Buckets: which executions of an agent belong to one conversation, hold each other, and seed each other.
import type { SQLInputValue } from "node:sqlite";
import type { ExecutionTrigger } from "../executions/execution.ts";
import type { Database } from "./database.ts";

/** A bucket as a condition on executions. */
export interface Bucket {
  condition: string;
  values: SQLInputValue[];
}

/**
 * A chat has the executions of its session; manual, schedule and watch runs share one; runs that other agents started
 * have one of their own, which seeds but never holds.
 */
export function bucketOf(
  execution: { agentId: string; sessionId: string | null; trigger: ExecutionTrigger },
): Bucket {
  const { agentId, sessionId, trigger } = execution;
  if (trigger === "chat") {
    return {
      condition: "agent_id = ? AND session_id = ? AND trigger = 'chat'",
      values: [agentId, sessionId],
    };
  }
  const triggers = trigger === "agent"
    ? "trigger = 'agent'"
    : "trigger IN ('manual', 'schedule', 'watch')";
  return {
    condition: `agent_id = ? AND session_id IS NULL AND ${triggers}`,
    values: [agentId],
  };
}

/** Whether an execution of this bucket waits for a person. */
export function isBucketWaiting(db: Database, bucket: Bucket): boolean {
  return db.get(
    `SELECT 1 FROM executions WHERE ${bucket.condition} AND status = 'waiting' LIMIT 1`,
    ...bucket.values,
  ) !== undefined;
}
