// The interface of the runtime for its users: the HTTP service, the command line and tests. mod.ts opens one.
import type { AutomaticTriggerType } from "../vocabulary/trigger_kinds.ts";
import type { Agent, Trigger } from "../agents/agent.ts";
import type { BrokenAgentFile } from "../agents/registry.ts";
import type { Recap } from "./recap.ts";
import type { RunPlan } from "./run_plan.ts";
import type { ReloadReport } from "../agents/reload_report.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import type { EventBus } from "../events/bus.ts";
import type { Frame } from "../events/frame.ts";
import type { BudgetService } from "../executions/budget/budget_service.ts";
import type { CheckpointStats } from "../executions/record/checkpoint_store.ts";
import type { AcceptedExecution, Execution, ExecutionTotals } from "../executions/execution.ts";
import type { ServiceNode } from "../executions/nodes/node_reads.ts";
import type { ExecutionStatus } from "../executions/states.ts";
import type {
  ExecutionFilter,
  ListedExecution,
  Outcomes,
} from "../executions/record/execution_reads.ts";
import type { GivenResponse, HumanRequest } from "../executions/human_request.ts";
import type { LinkedQuestion } from "../notify/answer_links.ts";
import type { Replay } from "../replay/difference.ts";
import type { ForkRequest } from "../replay/fork_request.ts";
import type { RunRequest } from "../executions/runs/run_request.ts";
import type { DailyUsage, Day } from "../executions/usage.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Database } from "../database/database.ts";
import type { SchedulerState } from "../triggers/pause.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";
import type { CallPreview } from "../executions/record/call_preview.ts";
import type { TriggerNotes, TriggerResumeResult } from "../triggers/triggers.ts";
import type { DeliveryPort } from "../triggers/webhook/webhooks.ts";

export type { BudgetFigures } from "../executions/budget.ts";
export type { RaiseRequest } from "../executions/budget/budget_service.ts";
export type { BrokenAgentFile } from "../agents/registry.ts";
export type { ReloadReport } from "../agents/reload_report.ts";
export type {
  ExecutionFilter,
  ListedExecution,
  Outcomes,
} from "../executions/record/execution_reads.ts";
export type { ServiceNode } from "../executions/nodes/node_reads.ts";
export type { LinkedQuestion } from "../notify/answer_links.ts";
export type { CallPreview } from "../executions/record/call_preview.ts";
export type { Recap } from "./recap.ts";
export type { Replay } from "../replay/difference.ts";
export type { ForkRequest } from "../replay/fork_request.ts";
export type { RunPlan } from "./run_plan.ts";
export type { TriggerResumeResult } from "../triggers/triggers.ts";
export type { Delivery } from "../triggers/webhook/delivery.ts";
export type { HookOutcome } from "../triggers/webhook/webhooks.ts";
export type { RunRequest } from "../executions/runs/run_request.ts";

/** An agent with its stored state. Times are milliseconds since the epoch. */
export interface AgentListing extends TriggerNotes {
  agent: Agent;
  /** The agent's newest execution, if any. */
  lastExecution: ListedExecution | null;
}

/** An execution with its request and answer. */
export interface ExecutionDetail extends Omit<ListedExecution, "preview"> {
  outputData: string | null;
  /** The request's message, besides its arguments; null for the default task. */
  message: string | null;
  context: string | null;
  /** True: secrets were removed from the request, so repeating the shown request would differ. */
  isRequestRedacted: boolean;
  /** The execution and the step that it was forked from; null: it is no fork. */
  forkedFrom: { executionId: number; step: number } | null;
  /** True: the last reply was interrupted, so part of its tokens and cost is estimated. */
  isUsageEstimated: boolean;
  /** The usage of all executions below this one. */
  children: ExecutionTotals;
}

/** A request for usage by day. */
export interface UsageRequest {
  /** The number of days up to today. */
  days: number;
  /** An IANA zone; the default is the machine's. */
  timeZone?: string;
}

/** The usage of executions by day. */
export interface UsageReport {
  /** The days of the report, oldest first. The last one is today. */
  days: Day[];
  /** The IANA zone of the days. */
  timeZone: string;
  /** By day, oldest first; one entry for each agent that ran on a day. */
  entries: DailyUsage[];
}

/** The change of an agent's file that approves a tool. */
export interface AutoApproval {
  /** Absolute. */
  path: string;
  /** See UnifiedDiff; without secrets. Empty if nothing changes. */
  diff: string;
  written: boolean;
  /** True: the tool already runs without approval. */
  already: boolean;
}

/** A question as shown to a person. */
export interface PendingRequest extends HumanRequest {
  /** The agent that asks: the execution's own, or one that it delegated to. */
  askedBy: string;
  /** The effect of the call on a file as it is now; null if it changes no file. */
  preview: CallPreview | null;
}

/** An item that a follower of one execution receives. */
export type FollowItem =
  | { type: "frame"; frame: Frame }
  /** Streamed text, only with `deltas`; never stored. `restart`: earlier text of the reply is void. */
  | { type: "delta"; content: string; restart: boolean }
  /** The follower caught up with a waiting execution; the stream ends. `payload` is one line of JSON. */
  | { type: "waiting"; payload: string };

/** Options of Runtime.follow. */
export interface FollowOptions {
  /** Starts after this frame id; 0 replays all. */
  after: number;
  deltas?: boolean;
  /** Ends the iteration without an error when aborted. */
  signal: AbortSignal;
}

/** An agent with an automatic trigger. Times are milliseconds since the epoch. */
export interface SchedulerJob {
  agentId: string;
  displayName: string;
  trigger: Extract<Trigger, { type: AutomaticTriggerType }>;
  /** Null for a watch, and when no time is scheduled. Also set while paused. */
  nextRun: number | null;
  /** The next times, with `nextRun` first, as many as requested. */
  upcoming: number[];
  /** The start of its newest execution, by any trigger. */
  lastRun: number | null;
  /** The reason why this trigger was stopped; null: it was not. */
  triggerPaused: string | null;
}

/** The automatic triggers and the scheduler's state. */
export interface SchedulerStatus {
  status: SchedulerState;
  /** The reason why this service fires no triggers although it is not paused: another service of the workspace does. */
  inactiveReason?: string;
  /** True: the watcher reports file changes now. */
  watcherActive: boolean;
  /** Enabled agents with a schedule or a watch, by id. */
  jobs: SchedulerJob[];
}

/** Messages to people. */
export interface RuntimeMessages {
  /** Returns the question of a link's token; undefined for an unknown token. */
  findLink(token: string): Promise<LinkedQuestion | undefined>;
  /** Returns whether messages wait to be sent. */
  hasOpen(): Promise<boolean>;
}

/** Operations on recorded runs. */
export interface RecordedRuns {
  /**
   * Replays a run offline with its current agent; the report contains no secrets. With `withAllTools`, custom tools and
   * MCP servers are started for their declarations; no tool is called. Throws ExecutionNotFound, AgentNotFound,
   * ConversationGone and DryRunNotPlayed.
   */
  replay(id: number, options: { withAllTools: boolean }): Promise<Replay>;
  /**
   * Accepts a run that continues from a step of another one: it is on disk when this returns. Throws ExecutionNotFound,
   * AgentNotFound, ConversationGone, NoSuchStep, AgentTextUnusable, and the errors of run().
   */
  fork(id: number, request: ForkRequest): Promise<Execution>;
}

/** A running (or read-only) Inkling. Every method may throw a RuntimeError; other errors are bugs. */
export interface Runtime extends AsyncDisposable {
  readonly version: string;
  readonly config: Config;
  readonly directories: Directories;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Events of executions, agents and the scheduler. */
  readonly events: EventBus;
  readonly messages: RuntimeMessages;
  /** The kind and place of the database; the place contains no password. */
  readonly storage: Pick<Database, "kind" | "place"> & {
    /** A sentence: the reason why the database does not respond now. */
    readonly problem?: string | undefined;
  };
  /** Lists and raises budgets. */
  readonly budgets: Pick<BudgetService, "list" | "raise">;
  /** Accepts webhook deliveries; undefined in a runtime that runs no agents. */
  readonly webhooks: DeliveryPort | undefined;
  /** Replays recorded runs, and forks them. */
  readonly replays: RecordedRuns;

  /** Lists the agents by id. With `fresh`, changed files are read first. */
  listAgents(options?: { fresh?: boolean }): Promise<AgentListing[]>;
  /** Reads the agent's changed file first, except with `fresh: false`. Throws AgentNotFound. */
  getAgent(id: string, options?: { fresh?: boolean }): Promise<AgentListing>;
  /**
   * Returns the plan of the agent's next run; with `withMessages` also the first messages to the model. Opens its tools
   * as a run does, calls none, and stores nothing. Throws AgentNotFound.
   */
  planRun(id: string, options: { withMessages: boolean }): Promise<RunPlan>;
  brokenAgentFiles(): BrokenAgentFile[];
  /** Reads the changed files, and reports the changes since the last call or the start. */
  reloadAgents(): Promise<ReloadReport>;

  /**
   * Accepts a run: it is on disk when this returns. Throws AgentNotFound, SessionWaiting, SessionIdUnusable,
   * ServiceStopping and IdempotencyKeyReused.
   */
  run(agentId: string, request: RunRequest): Promise<AcceptedExecution>;
  /** Cancels an execution; returns `cancelling` or the final status. Throws ExecutionNotFound. */
  cancel(id: number): Promise<"cancelling" | ExecutionStatus>;
  /** Returns the open question of an execution, redacted. Throws ExecutionNotFound and NoPendingRequest. */
  pendingRequest(id: number): Promise<PendingRequest>;
  /**
   * Returns the effect of the call on a file with other arguments, which are checked; null if it changes no file. Changes
   * nothing. Throws as respond() does.
   */
  previewArguments(
    id: number,
    edit: { requestId: string; args: JsonObject },
  ): Promise<CallPreview | null>;
  /**
   * Answers the question; the execution continues. Throws ExecutionNotFound, NotWaiting (also for an answer to an older
   * request), AnswerMisfit, ArgumentsNotChecked and ServiceStopping.
   */
  respond(id: number, response: GivenResponse): Promise<void>;
  /**
   * Adds a tool to `auto_approve` in an agent's file; without `write` only returns the diff. Throws AgentNotFound,
   * NotAutoApproved and ReadOnlyRuntime.
   */
  autoApprove(agentId: string, request: { tool: string; write: boolean }): Promise<AutoApproval>;
  /** Newest first. */
  listExecutions(filter: ExecutionFilter): Promise<ListedExecution[]>;
  /** Lists an agent's executions, newest first, also if its file is gone. Throws AgentNotFound if it has neither. */
  listRuns(agentId: string, page: { limit: number; offset: number }): Promise<ListedExecution[]>;
  /** Throws ExecutionNotFound. */
  getExecution(id: number): Promise<ExecutionDetail>;
  /** Returns stored frames in id order. Throws ExecutionNotFound. */
  readFrames(id: number, page: { after: number; limit?: number }): Promise<Frame[]>;
  /** Yields stored, then new frames, each once; ends after `complete` or `waiting`. Throws ExecutionNotFound. */
  follow(id: number, options: FollowOptions): Promise<AsyncIterable<FollowItem>>;
  checkpointStats(): Promise<CheckpointStats>;
  /**
   * Removes stored conversations; returns their number. Without `force`, the newest of each agent and those of waiting
   * executions stay; running ones always stay. Throws AgentNotFound for an agent that neither exists nor ever ran.
   */
  purgeCheckpoints(options: { agentId?: string; force: boolean }): Promise<number>;
  countExecutions(): Promise<{ running: number; waiting: number }>;
  /** Lists the services that share the database; none with SQLite. */
  listNodes(): Promise<ServiceNode[]>;
  usage(request: UsageRequest): Promise<UsageReport>;
  /** Counts the outcomes of the executions since `since`, by agent. */
  countOutcomes(since: number): Promise<ReadonlyMap<string, Outcomes>>;
  /** Summarizes the events from `since` to before `until`, and the open problems. */
  recap(span: { since: number; until: number }): Promise<Recap>;
  /** Returns the last lines of the service log, redacted, oldest first. */
  readLog(options: { lines: number }): Promise<string[]>;

  /** `upcoming`: the number of upcoming times to return for each job; the default is none. */
  scheduler(options?: { upcoming: number }): Promise<SchedulerStatus>;
  /** Stops all triggers until resumed, also across restarts. Running executions and manual runs continue. Idempotent. */
  pauseScheduler(): Promise<void>;
  /** Resumes all triggers, also stopped ones; returns the number of their discarded file changes. Idempotent. */
  resumeScheduler(): Promise<number>;
  /** Lets one agent's stopped trigger fire again. Throws AgentNotFound and ReadOnlyRuntime. */
  resumeAgent(id: string): Promise<TriggerResumeResult>;
  /** Lists an agent's scheduled times with their outcomes, newest first. Throws AgentNotFound if it never had any. */
  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]>;

  /**
   * Refuses new runs, gives running ones `graceMs`, then aborts them with `Aborted: service stopped`. Idempotent.
   * Disposal afterwards closes the store.
   */
  stop(options: { graceMs: number }): Promise<void>;
}
