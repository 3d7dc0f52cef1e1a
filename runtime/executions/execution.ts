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

/** A rest of a run: no process holds the run until a time. Kept after its end, until the run rests again. */
export interface RunRest {
  /** The planned end in milliseconds since the epoch. */
  until: number;
  /** The reason, for people. */
  reason: string;
  /** The start in milliseconds since the epoch. */
  since: number;
  /** The position of the call that rests. Absent for the rest before a retry, and for the rest of a parent. */
  position?: number;
  /** The id of the resting child, for the rest of its parent. The parent's rest ends with the child's rest. */
  childId?: number;
  /** The end: its time in milliseconds since the epoch, and its cause. Absent while the run rests. */
  ended?: { at: number; by: "time" | "person" };
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
  /** The number of executions above it, also of another Inkling whose agent requested it. Absent if there are none. */
  depth?: number;
  /** The execution whose end started this one. Present only for the trigger `after`. */
  afterExecutionId?: number;
  /**
   * Set for a dry run, which describes calls that would change something instead of making them. Its end starts no agent
   * and sends no notification, and later runs do not have it in their history.
   */
  isDryRun?: true;
  /** Set for a trial of a text that is not saved, and for the runs that it delegates to. */
  isTrial?: true;
  /** Set for a fork whose end does not start the agents with an `after` trigger. */
  isUnfollowed?: true;
  sessionId: string | null;
  startedAt: number;
  finishedAt: number | null;
  /** The running time in milliseconds, without rests and the time spent waiting for a person. */
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
  /** The current or the last rest. Absent if the run has never rested. */
  rest?: RunRest;
}

/** Returns true if an execution rests or waits for a person, so that no process runs it. */
export function isPaused(execution: Execution): boolean {
  return execution.status === "waiting" || currentRest(execution) !== undefined;
}

/** Returns the rest of an execution that rests now. Undefined if it does not rest. */
export function currentRest({ status, rest }: Execution): RunRest | undefined {
  return status === "running" && rest?.ended === undefined ? rest : undefined;
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
