// The port to stored executions for whoever only looks.
import type { Execution } from "../execution.ts";
import { ExecutionNotFound } from "../refusals.ts";
import type { ExecutionStatus } from "../states.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import type { UsageStep } from "../usage.ts";

/** An execution with what it was asked to do and what it answered. */
export interface StoredExecution {
  execution: Execution;
  request: ExecutionRequest;
  output: string | null;
}

/** What a run of it takes. */
export type StoredRun = Pick<StoredExecution, "execution" | "request">;

/** Which executions are listed, and which page of them. Absent fields leave nothing out. */
export interface ExecutionFilter {
  statuses?: readonly ExecutionStatus[];
  /** Of one agent, or of any of these. */
  agentId?: string | readonly string[];
  /** Only those that this one delegated to directly. */
  parentId?: number;
  limit: number;
  offset: number;
}

/** Executions as they stand. */
export interface ExecutionReads {
  readExecution(id: number): Promise<StoredExecution | undefined>;

  /** The one that a run with this idempotency key got within 24 hours before `now`. */
  readByKey(key: string, now: number): Promise<StoredExecution | undefined>;

  /** The newest first. */
  listExecutions(filter: ExecutionFilter): Promise<Execution[]>;

  /** The newest execution of each of these agents that has one. */
  newestByAgent(agentIds: readonly string[]): Promise<Map<string, Execution>>;

  /** Whether its last reply was cut off, so that part of its tokens and of its cost is estimated. */
  readIsEstimated(id: number): Promise<boolean>;

  countByStatus(statuses: readonly ExecutionStatus[]): Promise<number>;

  /** What the executions that began at `from` or later used; the oldest step first. */
  readUsage(from: number): Promise<UsageStep[]>;
}

/** An execution that is to be there. Throws ExecutionNotFound. */
export async function requireExecution(
  executions: Pick<ExecutionReads, "readExecution">,
  id: number,
): Promise<StoredExecution> {
  const stored = await executions.readExecution(id);
  if (stored === undefined) throw new ExecutionNotFound();
  return stored;
}
