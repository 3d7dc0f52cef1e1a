// The read interface to stored executions.
import type { Execution } from "../execution.ts";
import { ExecutionNotFound } from "../refusals.ts";
import type { ExecutionStatus } from "../states.ts";
import type { ExecutionTrigger } from "../../vocabulary/trigger_kinds.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import type { UsageStep } from "../usage.ts";
import type { UsageDivision } from "../../vocabulary/usage_divisions.ts";

/** An execution with its request and its answer. */
export interface StoredExecution {
  execution: Execution;
  request: ExecutionRequest;
  output: string | null;
}

/** The part of a stored execution that a run needs. */
export type StoredRun = Pick<StoredExecution, "execution" | "request"> & {
  /** True if nothing but its acceptance is stored. Absent: unknown. */
  isFresh?: boolean;
};

/** Filters a list of executions and selects a page of it. Absent fields do not filter. */
export interface ExecutionFilter {
  statuses?: readonly ExecutionStatus[];
  /** The id of an agent, or of several agents. */
  agentId?: string | readonly string[];
  /** The id of the parent. Selects only its direct children. */
  parentId?: number;
  /** The id of an execution. Selects only executions that its end started. */
  followedId?: number;
  trigger?: ExecutionTrigger;
  /** The id of a conversation. Selects only its turns. With `agentId`, the query uses an index. */
  sessionId?: string;
  /**
   * Selects only executions that started at or after this time, in milliseconds since the epoch. `since` and `until` sort
   * the list by start time.
   */
  since?: number;
  /** Selects only executions that started before this time, in milliseconds since the epoch. */
  until?: number;
  /**
   * A text of 3 characters or more. Selects only executions with this text near the beginning of the request, the answer or
   * the error.
   */
  text?: string;
  /** True if `text` is searched in answers and errors only. */
  searchesAnswersOnly?: boolean;
  /**
   * True if `text` is searched in tool results. The other conditions select the page first, so that only the results of its
   * executions are read. Executions without the text are then removed from the page.
   */
  searchesResults?: boolean;
  /** True if the list includes previews of requests and answers. */
  preview?: boolean;
  limit: number;
  offset: number;
}

/** An execution in a list. `preview` is present if the filter requests it. */
export interface ListedExecution extends Execution {
  /** The node labels that the execution waits for, because no live node has all of them. Absent if it waits for none. */
  waitsForLabels?: readonly string[];
  preview?: ExecutionPreview;
}

/** The maximum length of a preview's text in characters. */
export const PREVIEW_CHARACTERS = 400;

/** The beginnings of an execution's request and answer. */
export interface ExecutionPreview {
  /** The beginning of the request's message. Null if there was none. */
  asked: string | null;
  /** The beginning of the answer. Null if there is none. */
  answered: string | null;
}

/** A span of time from `since` to before `until`, in milliseconds since the epoch. */
export interface Span {
  since: number;
  until: number;
  /** The agents whose executions are read. Absent: all agents. */
  agentIds?: readonly string[] | undefined;
}

/** A summary of the executions that started in a span of time. */
export interface SpanSummary {
  /** The number of executions by status. A resting execution counts as resting only. */
  counts: Partial<Record<ExecutionStatus | "resting", number>>;
  /** The summed cost in dollars. Null if no price is known. */
  costUsd: number | null;
  /** The agents with failed executions, most failures first. Executions that a person cancelled do not count. */
  failures: { agentId: string; count: number; lastId: number; lastError: string }[];
}

/** The numbers of ended and of successful executions of an agent. */
export interface Outcomes {
  ended: number;
  succeeded: number;
}

/** The numbers of executions that have not ended. A resting execution counts as resting only. */
export interface OpenCounts {
  running: number;
  waiting: number;
  resting: number;
}

/**
 * A period without a running service, in milliseconds since the epoch. `from` is null if the previous service was killed.
 */
export interface Downtime {
  from: number | null;
  to: number;
}

/** Reads executions. */
export interface ExecutionReads {
  readExecution(id: number): Promise<StoredExecution | undefined>;

  /** Returns the execution that was accepted with this idempotency key within the 24 hours before `now`, or undefined. */
  readByKey(key: string, now: number): Promise<StoredExecution | undefined>;

  /** Returns the executions that match the filter, newest first. */
  listExecutions(filter: ExecutionFilter): Promise<readonly ListedExecution[]>;

  /** Returns the newest execution of each of these agents, by agent id. Agents without an execution are left out. */
  newestByAgent(agentIds: readonly string[]): Promise<ReadonlyMap<string, Execution>>;

  /** Returns true if the execution's last reply was cut off, so that part of its tokens and cost is estimated. */
  readIsEstimated(id: number): Promise<boolean>;

  /** Returns a summary of the executions that started in a span. */
  readSpan(span: Span): Promise<SpanSummary>;

  /** Returns the cost in dollars of the executions that started in a span. Null if no price is known. */
  readSpanCost(span: Span): Promise<number | null>;

  /** Returns the periods without a running service in a span, oldest first. Restarts within a minute are left out. */
  readDowntimes(span: { since: number; until: number }): Promise<Downtime[]>;

  /** Counts the ended and the successful executions that started at `since` or later, by agent id. */
  countOutcomes(since: number): Promise<Map<string, Outcomes>>;

  /** Counts the executions of all agents, or of these only. */
  countOpen(agentIds?: readonly string[]): Promise<OpenCounts>;

  /** Returns the usage of executions that started at `from` or later, by quarter of an hour, oldest first, and by `by`. */
  readUsage(from: number, by?: UsageDivision): Promise<UsageStep[]>;
}

/** Returns the execution with this id. Throws ExecutionNotFound. */
export async function requireExecution(
  executions: Pick<ExecutionReads, "readExecution">,
  id: number,
): Promise<StoredExecution> {
  const stored = await executions.readExecution(id);
  if (stored === undefined) throw new ExecutionNotFound();
  return stored;
}
