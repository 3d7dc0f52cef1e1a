// A bucket is a set of executions of one agent that share a conversation: the runs of one chat session, the delegated runs,
// or all other runs. Each new execution of a bucket continues the conversation of the last. With `on_pending: skip`, no
// execution starts while another execution of its bucket waits for a person, except delegated runs.
import {
  EXECUTION_TRIGGERS,
  type ExecutionTrigger,
  TRIGGER_KINDS,
} from "../../vocabulary/trigger_kinds.ts";
import { IS_REAL, sqlList } from "./execution_rows.ts";
import { get, type Operation, type SqlValue } from "../../database/operation.ts";

/** A bucket as an SQL condition on executions, with the values of its parameters. */
export interface Bucket {
  condition: string;
  values: SqlValue[];
}

/** SQL: the execution has no history of its own, which its request brought. */
const JOINS_OTHERS = "request ->> '$.brought.isHistory' IS NULL";

/**
 * Returns the bucket of an execution, by its trigger and session. Dry runs and runs with a history of their own are excluded
 * from every bucket, because they must not affect other runs.
 */
export function bucketOf(
  execution: { agentId: string; sessionId: string | null; trigger: ExecutionTrigger },
): Bucket {
  const { agentId, sessionId, trigger } = execution;
  const { bucket } = TRIGGER_KINDS[trigger];
  const kinds = EXECUTION_TRIGGERS.filter((kind) => TRIGGER_KINDS[kind].bucket === bucket);
  const condition = `agent_id = ? AND ${IS_REAL} AND ${JOINS_OTHERS} ` +
    `AND trigger IN ${sqlList(kinds)} AND session_id`;
  return bucket === "session"
    ? { condition: `${condition} = ?`, values: [agentId, sessionId] }
    : { condition: `${condition} IS NULL`, values: [agentId] };
}

/** Returns true if an execution of this bucket waits for a person. */
export function* isBucketWaiting(bucket: Bucket): Operation<boolean> {
  return (yield* get(
    `SELECT 1 FROM executions WHERE ${bucket.condition} AND status = 'waiting' LIMIT 1`,
    ...bucket.values,
  )) !== undefined;
}
