// The port to stored executions for whoever only looks.
import type { Execution } from "../execution.ts";
import { ExecutionNotFound } from "../refusals.ts";
import type { ExecutionStatus } from "../states.ts";
import type { ExecutionTrigger } from "../../trigger_kinds.ts";
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
  /** Only those that the end of this one started. */
  followedId?: number;
  trigger?: ExecutionTrigger;
  /** Only the turns of this conversation; with `agentId` they are found without reading the others. */
  sessionId?: string;
  /** Only those that began then or later, in milliseconds. With it or `until` they are in the order of their starts. */
  since?: number;
  /** Only those that began before. */
  until?: number;
  /** Only those with this text, of 3 characters or more, near the beginning of what was asked, of the answer or of the error. */
  text?: string;
  /** Whether the text is looked for in answers and errors alone. */
  isOfAnswers?: boolean;
  /**
   * Whether the text is looked for in the tool results of the page's executions instead, which are read for that: the page is
   * that of the other conditions, less those without the text.
   */
  isOfResults?: boolean;
  /** Whether the beginnings of what was asked and of the answer come along. */
  preview?: boolean;
  limit: number;
  offset: number;
}

/** An execution as it is shown; `preview` where it was asked for. */
export interface ListedExecution extends Execution {
  /** The labels of the node that it waits for, as no living one has all of them; absent: it waits for none. */
  waitsForLabels?: readonly string[];
  preview?: ExecutionPreview;
}

/** The most characters of a text that a preview has. */
export const PREVIEW_CHARACTERS = 400;

/** What an execution is about. */
export interface ExecutionPreview {
  /** The beginning of the message; null where there was none. */
  asked: string | null;
  /** The beginning of the answer; null where there is none. */
  answered: string | null;
}

/** What the executions that began in a span of time came to. */
export interface SpanSummary {
  /** How many stand so. */
  counts: Partial<Record<ExecutionStatus, number>>;
  /** Null when no price is known. */
  costUsd: number | null;
  /** Agents whose executions failed, those with most failures first; what a person cancelled is no failure. */
  failures: { agentId: string; count: number; lastId: number; lastError: string }[];
}

/** How many executions of an agent have ended, and how many of them with success. */
export interface Outcomes {
  ended: number;
  succeeded: number;
}

/** A time in which no service ran, in milliseconds; `from` is unknown where the service before was killed. */
export interface Downtime {
  from: number | null;
  to: number;
}

/** Executions as they stand. */
export interface ExecutionReads {
  readExecution(id: number): Promise<StoredExecution | undefined>;

  /** The one that a run with this idempotency key got within 24 hours before `now`. */
  readByKey(key: string, now: number): Promise<StoredExecution | undefined>;

  /** The newest first. */
  listExecutions(filter: ExecutionFilter): Promise<ListedExecution[]>;

  /** The newest execution of each of these agents that has one. */
  newestByAgent(agentIds: readonly string[]): Promise<Map<string, Execution>>;

  /** Whether its last reply was cut off, so that part of its tokens and of its cost is estimated. */
  readIsEstimated(id: number): Promise<boolean>;

  /** Executions that began at `since` or later and before `until`. */
  readSpan(span: { since: number; until: number }): Promise<SpanSummary>;

  /** What they cost; null when no price is known. */
  readSpanCost(span: { since: number; until: number }): Promise<number | null>;

  /** When no service ran between these times, oldest first; a restart within a minute is left out. */
  readDowntimes(span: { since: number; until: number }): Promise<Downtime[]>;

  /** By agent: what came of the executions that began at `since` or later. */
  countOutcomes(since: number): Promise<Map<string, Outcomes>>;

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
