// The stored record of one execution.
import type { ExecutionTrigger } from "../vocabulary/trigger_kinds.ts";
import type { ExecutionStatus } from "./states.ts";

/** The scheduled or current retry of a run whose model could not be reached. */
export interface RunRetry {
  /** The due time of the retry in milliseconds since the epoch. */
  at: number;
  isUnderWay?: true;
  /** The number of the retry, beginning at 1. */
  attempt: number;
  /** The maximum number of retries. */
  of: number;
  /** The error of the failed attempt. */
  reason: string;
}

/**
 * The stored record of one execution. Times are in milliseconds since the epoch. Counters continue across pauses and
 * restarts.
 */
export interface Execution {
  id: number;
  agentId: string;
  displayName: string;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  parentExecutionId: number | null;
  /** The execution whose end started this one. Present only for the trigger `after`. */
  afterExecutionId?: number;
  /**
   * Set for a dry run, which describes calls that would change something instead of making them. Its end starts no agent
   * and sends no notification, and later runs do not have it in their history.
   */
  isDryRun?: true;
  /** Set for a fork whose end does not start the agents with an `after` trigger. */
  isUnfollowed?: true;
  sessionId: string | null;
  startedAt: number;
  finishedAt: number | null;
  /** The running time in milliseconds, without the time spent waiting for a person. */
  durationMs: number | null;
  inputTokens: number;
  outputTokens: number;
  /** The tokens of all model calls. Null before the first reply that reports usage. */
  totalTokens: number | null;
  /** The cost in dollars. Null as long as no price is known. */
  costUsd: number | null;
  toolCalls: number;
  /** The model as `provider/name`, or an empty string if none is configured. */
  model: string;
  args: string[];
  error: string | null;
  /** The retry of the run's last failure. Absent if no retry is scheduled or in progress. */
  retry?: RunRetry;
}

/** An execution that was just accepted. */
export interface AcceptedExecution extends Execution {
  /**
   * The notices in the execution's log about files that could not be used in their current form. Absent if there are none.
   */
  notices?: readonly string[];
}

/** The summed usage of several executions. */
export interface ExecutionTotals {
  count: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** The summed cost in dollars. Null if the cost of none of the executions is known. */
  costUsd: number | null;
}
