// Buckets: which executions of an agent belong to one conversation, hold each other, and seed each other.
import { EXECUTION_TRIGGERS, type ExecutionTrigger, TRIGGER_KINDS } from "../../trigger_kinds.ts";
import { IS_REAL, sqlList } from "./execution_rows.ts";
import { get, type Operation, type SqlValue } from "../operation.ts";

/** A bucket as a condition on executions. */
export interface Bucket {
  condition: string;
  values: SqlValue[];
}

/** The one that an execution belongs to: see TRIGGER_KINDS. Dry runs belong to none: they hold nothing and seed nothing. */
export function bucketOf(
  execution: { agentId: string; sessionId: string | null; trigger: ExecutionTrigger },
): Bucket {
  const { agentId, sessionId, trigger } = execution;
  const { bucket } = TRIGGER_KINDS[trigger];
  const kinds = EXECUTION_TRIGGERS.filter((kind) => TRIGGER_KINDS[kind].bucket === bucket);
  const condition = `agent_id = ? AND ${IS_REAL} AND trigger IN ${sqlList(kinds)} AND session_id`;
  return bucket === "session"
    ? { condition: `${condition} = ?`, values: [agentId, sessionId] }
    : { condition: `${condition} IS NULL`, values: [agentId] };
}

/** Whether an execution of this bucket waits for a person. */
export function* isBucketWaiting(bucket: Bucket): Operation<boolean> {
  return (yield* get(
    `SELECT 1 FROM executions WHERE ${bucket.condition} AND status = 'waiting' LIMIT 1`,
    ...bucket.values,
  )) !== undefined;
}
