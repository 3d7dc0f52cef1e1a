// The read interface to stored executions.
import type { Execution } from "../execution.ts";
import { ExecutionNotFound } from "../refusals.ts";
import type { ExecutionStatus } from "../states.ts";
import type { ExecutionTrigger } from "../../vocabulary/trigger_kinds.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import type { UsageStep } from "../usage.ts";

/** An execution with its request and its answer. */
export interface StoredExecution {
  execution: Execution;
  request: ExecutionRequest;
  output: string | null;
}

/** The part of a stored execution that a run needs. */
export type StoredRun = Pick<StoredExecution, "execution" | "request">;

/** Filters a list of executions and selects a page of it. Absent fields do not filter. */
export interface ExecutionFilter {
  statuses?: readonly ExecutionStatus[];
  /** One agent, or several. */
  agentId?: string | readonly string[];
  /** Only direct children of this execution. */
  parentId?: number;
  /** Only executions that the end of this one started. */
  followedId?: number;
  trigger?: ExecutionTrigger;
  /** Only the turns of this conversation. With `agentId` the query uses an index. */
  sessionId?: string;
  /** Only executions that started at or after this time, in milliseconds. `since` and `until` sort by start time. */
  since?: number;
  /** Only executions that started before this time, in milliseconds. */
  until?: number;
  /** Only executions with this text, of 3 characters or more, near the beginning of the request, the answer or the error. */
  text?: string;
  /** Search the text in answers and errors only. */
  searchesAnswersOnly?: boolean;
  /**
   * Search the text in tool results instead. The other conditions select the page first, so that only its results are read.
   * Executions without the text are then removed from it.
   */
  searchesResults?: boolean;
  /** Include previews of the request and of the answer. */
  preview?: boolean;
  limit: number;
  offset: number;
}

/** An execution in a list. `preview` is present if the filter requests it. */
export interface ListedExecution extends Execution {
  /** The labels that it waits for, because no live node has all of them. Absent if it waits for none. */
  waitsForLabels?: readonly string[];
  preview?: ExecutionPreview;
}

/** The maximum length of a preview's texts. */
export const PREVIEW_CHARACTERS = 400;

/** The beginnings of an execution's request and answer. */
export interface ExecutionPreview {
  /** The beginning of the message. Null if there was none. */
  asked: string | null;
  /** The beginning of the answer. Null if there is none. */
  answered: string | null;
}

/** A summary of the executions that started in a span of time. */
export interface SpanSummary {
  /** The number of executions by status. */
  counts: Partial<Record<ExecutionStatus, number>>;
  /** Null when no price is known. */
  costUsd: number | null;
  /** Agents with failed executions, most failures first. Executions cancelled by a person do not count. */
  failures: { agentId: string; count: number; lastId: number; lastError: string }[];
}

/** The numbers of ended and of successful executions of an agent. */
export interface Outcomes {
  ended: number;
  succeeded: number;
}

/** A time without a running service, in milliseconds. `from` is null if the previous service was killed. */
export interface Downtime {
  from: number | null;
  to: number;
}

/** Reads executions. */
export interface ExecutionReads {
  readExecution(id: number): Promise<StoredExecution | undefined>;

  /** Returns the execution that was accepted with this idempotency key within 24 hours before `now`. */
  readByKey(key: string, now: number): Promise<StoredExecution | undefined>;

  /** Returns the newest executions first. */
  listExecutions(filter: ExecutionFilter): Promise<ListedExecution[]>;

  /** Returns the newest execution of each agent that has one. */
  newestByAgent(agentIds: readonly string[]): Promise<Map<string, Execution>>;

  /** Returns true if the last reply was cut off, so that part of the tokens and of the cost is estimated. */
  readIsEstimated(id: number): Promise<boolean>;

  /** Summarizes the executions that started at `since` or later and before `until`. */
  readSpan(span: { since: number; until: number }): Promise<SpanSummary>;

  /** Returns their cost, or null if no price is known. */
  readSpanCost(span: { since: number; until: number }): Promise<number | null>;

  /** Returns the downtimes between these times, oldest first. Restarts within a minute are left out. */
  readDowntimes(span: { since: number; until: number }): Promise<Downtime[]>;

  /** Counts the outcomes of executions that started at `since` or later, by agent. */
  countOutcomes(since: number): Promise<Map<string, Outcomes>>;

  countByStatus(statuses: readonly ExecutionStatus[]): Promise<number>;

  /** Returns the usage of executions that started at `from` or later, oldest step first. */
  readUsage(from: number): Promise<UsageStep[]>;
}

/** Returns an execution. Throws ExecutionNotFound. */
export async function requireExecution(
  executions: Pick<ExecutionReads, "readExecution">,
  id: number,
): Promise<StoredExecution> {
  const stored = await executions.readExecution(id);
  if (stored === undefined) throw new ExecutionNotFound();
  return stored;
}
