// The stored record of one execution.
import type { ExecutionTrigger } from "../vocabulary/trigger_kinds.ts";
import type { ExecutionStatus } from "./states.ts";

/** The retry of a run whose model could not be reached: the next one, or the current one. */
export interface RunRetry {
  /** Due time, in milliseconds since the epoch. */
  at: number;
  isUnderWay?: true;
  /** 1-based. */
  attempt: number;
  /** The maximum number of retries. */
  of: number;
  /** The error of the failed attempt. */
  reason: string;
}

/** One execution. Times are milliseconds since the epoch. Counters are cumulative over pauses and restarts. */
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
   * The run describes calls that would change something instead of making them. Its end starts no agent, sends no
   * notification and is not part of a later run's history. Absent for a real run.
   */
  isDryRun?: true;
  /** A fork whose end starts none of the agents with an `after` trigger. */
  isUnfollowed?: true;
  sessionId: string | null;
  startedAt: number;
  finishedAt: number | null;
  /** Running time, without the time spent waiting for a person. */
  durationMs: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Null before the first reply that reported usage. */
  totalTokens: number | null;
  /** Null until a price is known. */
  costUsd: number | null;
  toolCalls: number;
  /** `provider/name`, or an empty string when none is configured. */
  model: string;
  args: string[];
  error: string | null;
  /** Absent while the run has not failed. */
  retry?: RunRetry;
}

/** An execution at its acceptance. */
export interface AcceptedExecution extends Execution {
  /** Notices in its log about files that could not be used in their current form. Absent if there are none. */
  notices?: readonly string[];
}

/** The summed usage of several executions. */
export interface ExecutionTotals {
  count: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** Null if the price of none of them is known. */
  costUsd: number | null;
}
