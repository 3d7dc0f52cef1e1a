// What one run of an agent is.
import type { ExecutionTrigger } from "../trigger_kinds.ts";
import type { ExecutionStatus } from "./states.ts";

/** A further try of a run whose model could not be reached: the next one, or the one that is under way. */
export interface RunRetry {
  /** When it is due, in milliseconds since the epoch. */
  at: number;
  isUnderWay?: true;
  /** 1-based. */
  attempt: number;
  /** How many further tries there may be. */
  of: number;
  /** The failure before it. */
  reason: string;
}

/** One run as it stands. Times are milliseconds since the epoch; counters are cumulative over pauses and restarts. */
export interface Execution {
  id: number;
  agentId: string;
  displayName: string;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  parentExecutionId: number | null;
  /** The execution whose end started it; absent for any other trigger than `after`. */
  afterExecutionId?: number;
  /**
   * Nothing is changed by it: calls that change something are described instead. What follows from the end of a real run
   * (agents that follow, notices, a later run's memory) does not follow from this one. Absent for a real run.
   */
  isDryRun?: true;
  /** A fork whose end starts no agent that runs after this one. */
  isUnfollowed?: true;
  sessionId: string | null;
  startedAt: number;
  finishedAt: number | null;
  /** Time spent running, without the waits for a person. */
  durationMs: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Null before the first reply that reported usage. */
  totalTokens: number | null;
  /** Null while no price is known. */
  costUsd: number | null;
  toolCalls: number;
  /** `provider/name`, or an empty string when none is configured. */
  model: string;
  args: string[];
  error: string | null;
  /** Absent: it has not failed so far. */
  retry?: RunRetry;
}

/** An execution at its acceptance. */
export interface AcceptedExecution extends Execution {
  /** What its log says of files that it could not use as they are now; absent: nothing. */
  notices?: readonly string[];
}

/** What several executions used together. */
export interface ExecutionTotals {
  count: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** Null where no price is known of any of them. */
  costUsd: number | null;
}
