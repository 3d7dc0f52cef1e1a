// What one run of an agent is, and the states it may be in.

/** The states of an execution: `running` and `waiting` go over into each other, the others are final. */
export const EXECUTION_STATUSES = [
  "running",
  "waiting",
  "success",
  "error",
  "aborted",
  "timeout",
  "orphaned",
] as const;

/** One of EXECUTION_STATUSES. */
export type ExecutionStatus = typeof EXECUTION_STATUSES[number];

/** Statuses that never change again. */
export type FinalStatus = Exclude<ExecutionStatus, "running" | "waiting">;

/** Who or what began an execution. */
export const EXECUTION_TRIGGERS = ["manual", "chat", "schedule", "watch", "agent"] as const;

/** One of EXECUTION_TRIGGERS. */
export type ExecutionTrigger = typeof EXECUTION_TRIGGERS[number];

/** One run as it stands. Times are milliseconds since the epoch; counters are cumulative over pauses and restarts. */
export interface Execution {
  id: number;
  agentId: string;
  displayName: string;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  parentExecutionId: number | null;
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

/** Whether an execution has ended for good. */
export function isFinal(status: ExecutionStatus): status is FinalStatus {
  return status !== "running" && status !== "waiting";
}
