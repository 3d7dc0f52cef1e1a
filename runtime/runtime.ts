// What the runtime offers to whoever embeds it: the HTTP service, the command line, tests. mod.ts opens one.
import type { AutomaticTriggerType } from "./trigger_kinds.ts";
import type { Agent, Trigger } from "./agents/agent.ts";
import type { BrokenAgentFile } from "./agents/registry.ts";
import type { Recap } from "./wiring/recap.ts";
import type { RunPlan } from "./wiring/plan/run_plan.ts";
import type { ReloadReport } from "./agents/reload_report.ts";
import type { JsonObject } from "../base/json.ts";
import type { Clock } from "../base/clock.ts";
import type { Config } from "./config/config.ts";
import type { Directories } from "./config/directories.ts";
import type { EventBus } from "./events/bus.ts";
import type { Frame } from "./events/frame.ts";
import type { BudgetService } from "./executions/budget/budget_service.ts";
import type { CheckpointStats } from "./executions/record/checkpoint_store.ts";
import type { AcceptedExecution, Execution, ExecutionTotals } from "./executions/execution.ts";
import type { ServiceNode } from "./executions/nodes/node_reads.ts";
import type { ExecutionStatus } from "./executions/states.ts";
import type {
  ExecutionFilter,
  ListedExecution,
  Outcomes,
} from "./executions/record/execution_reads.ts";
import type { GivenResponse, HumanRequest } from "./executions/human_request.ts";
import type { LinkedQuestion } from "./notify/answer_links.ts";
import type { Replay } from "./replay/difference.ts";
import type { ForkRequest } from "./replay/fork_request.ts";
import type { RunRequest } from "./executions/runs/run_request.ts";
import type { DailyUsage, Day } from "./executions/usage.ts";
import type { ServiceLog } from "./service_log/service_log.ts";
import type { Database } from "./database/database.ts";
import type { SchedulerState } from "./triggers/pause.ts";
import type { Slot } from "./triggers/schedule/slot_store.ts";
import type { CallPreview } from "./executions/record/call_preview.ts";
import type { TriggerNotes, TriggerResumeResult } from "./triggers/triggers.ts";
import type { DeliveryPort } from "./triggers/webhook/webhooks.ts";

export type { BudgetFigures } from "./executions/budget.ts";
export type { RaiseRequest } from "./executions/budget/budget_service.ts";
export type { BrokenAgentFile } from "./agents/registry.ts";
export type { ReloadReport } from "./agents/reload_report.ts";
export type {
  ExecutionFilter,
  ListedExecution,
  Outcomes,
} from "./executions/record/execution_reads.ts";
export type { ServiceNode } from "./executions/nodes/node_reads.ts";
export type { LinkedQuestion } from "./notify/answer_links.ts";
export type { CallPreview } from "./executions/record/call_preview.ts";
export type { Recap } from "./wiring/recap.ts";
export type { Replay } from "./replay/difference.ts";
export type { ForkRequest } from "./replay/fork_request.ts";
export type { RunPlan } from "./wiring/plan/run_plan.ts";
export type { TriggerResumeResult } from "./triggers/triggers.ts";
export type { Delivery } from "./triggers/webhook/delivery.ts";
export type { HookOutcome } from "./triggers/webhook/webhooks.ts";
export type { RunRequest } from "./executions/runs/run_request.ts";

/** An agent with what the store knows of it. Times are milliseconds since the epoch. */
export interface AgentListing extends TriggerNotes {
  agent: Agent;
  /** The newest execution of it, if any. */
  lastExecution: ListedExecution | null;
}

/** An execution with its answer. */
export interface ExecutionDetail extends Omit<ListedExecution, "preview"> {
  outputData: string | null;
  /** What it was asked, beside its arguments; null where that was its usual task. */
  message: string | null;
  context: string | null;
  /** Whether secrets were taken out of what it was asked, so that repeating what is shown would ask something else. */
  isAskedRedacted: boolean;
  /** The execution and the step that it was forked from; null: it began at its beginning. */
  forkedFrom: { executionId: number; step: number } | null;
  /** Whether its last reply was cut off, so that part of its tokens and of its cost is estimated. */
  isUsageEstimated: boolean;
  /** What the executions below it used, those that it delegated to and theirs. */
  children: ExecutionTotals;
}

/** Which days' usage is asked for. */
export interface UsageRequest {
  /** The last so many, today included. */
  days: number;
  /** An IANA zone; the machine's unless given. */
  timeZone?: string;
}

/** What executions used, day by day. */
export interface UsageReport {
  /** The last of them is today. */
  days: Day[];
  /** The IANA zone whose days these are. */
  timeZone: string;
  /** By day, oldest first; one entry for each agent that ran on it. */
  entries: DailyUsage[];
}

/** What became of an agent's file, or would. */
export interface AutoApproval {
  /** Absolute. */
  path: string;
  /** See UnifiedDiff; no secrets. Empty where nothing has to change. */
  diff: string;
  written: boolean;
  /** Nobody is asked about this tool as it is. */
  already: boolean;
}

/** A question as it is shown to a person. */
export interface PendingRequest extends HumanRequest {
  /** The agent that asks: of the execution, or of one below it. */
  askedBy: string;
  /** What the call would do to a file as it is now; null for one that does nothing to files. */
  preview: CallPreview | null;
}

/** What a follower of one execution receives. */
export type FollowItem =
  | { type: "frame"; frame: Frame }
  /**
   * Text as it streams; never stored. Only with `deltas`. `restart`: the reply begins anew, what was streamed of it
   * is void.
   */
  | { type: "delta"; content: string; restart: boolean }
  /** Caught up with an execution that waits for a person; nothing follows. `payload` is one line of JSON. */
  | { type: "waiting"; payload: string };

/** Where following an execution begins, what it brings and what ends it. */
export interface FollowOptions {
  /** Starts after this frame id; 0 replays all. */
  after: number;
  deltas?: boolean;
  /** Ends the iteration (quietly) when aborted. */
  signal: AbortSignal;
}

/** An agent that runs by itself. Times are milliseconds since the epoch. */
export interface SchedulerJob {
  agentId: string;
  displayName: string;
  trigger: Extract<Trigger, { type: AutomaticTriggerType }>;
  /** Null for a watch, and when nothing is due by time. Shown while paused, too. */
  nextRun: number | null;
  /** The next times, `nextRun` the first, as many as were asked for. */
  upcoming: number[];
  /** When its newest execution began, whatever started it. */
  lastRun: number | null;
  /** Why this trigger was stopped; null when it was not. */
  triggerPaused: string | null;
}

/** What fires by itself, and whether it may. */
export interface SchedulerStatus {
  status: SchedulerState;
  /** The reason why this service fires nothing although it is not paused: another one on the workspace fires. */
  heldBecause?: string;
  /** Whether changes of watched files are being noticed. */
  watcherActive: boolean;
  /** Enabled agents with a schedule or a watch, by id. */
  jobs: SchedulerJob[];
}

/** Messages to people. */
export interface RuntimeMessages {
  /** The question that a link in a message leads to; undefined for a token that never was. */
  findLink(token: string): Promise<LinkedQuestion | undefined>;
  /** Whether some wait to be sent. */
  hasOpen(): Promise<boolean>;
}

/** What can be done with runs that are stored. */
export interface RecordedRuns {
  /**
   * Plays a run again, offline, with its agent as it is now; what is told has no secrets. With `withAllTools` custom tools and
   * MCP servers are started for their declarations; no tool is called. Throws ExecutionNotFound, AgentNotFound and
   * ConversationGone and DryRunNotPlayed.
   */
  replay(id: number, options: { withAllTools: boolean }): Promise<Replay>;
  /**
   * Accepts a run that has the first steps of another one: it is on disk when this returns. Throws ExecutionNotFound,
   * AgentNotFound, ConversationGone, NoSuchStep, AgentTextUnusable, and what a run is refused with.
   */
  fork(id: number, request: ForkRequest): Promise<Execution>;
}

/** A running (or read-only) Inkling. Every method may throw a RuntimeError; nothing else is expected of them. */
export interface Runtime extends AsyncDisposable {
  readonly version: string;
  readonly config: Config;
  readonly directories: Directories;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What happens, as it happens: executions, agents, the scheduler. */
  readonly events: EventBus;
  readonly messages: RuntimeMessages;
  /** Where everything is stored; the place without a password. */
  readonly storage: Pick<Database, "kind" | "place"> & {
    /** A sentence: why the database does not answer now. */
    readonly problem?: string | undefined;
  };
  /** How budgets stand, and allowing more. */
  readonly budgets: Pick<BudgetService, "list" | "raise">;
  /** Where deliveries to agents come in; undefined in a runtime that runs nothing. */
  readonly webhooks: DeliveryPort | undefined;
  /** Recorded runs: played again, and gone on from. */
  readonly replays: RecordedRuns;

  /** By id, ascending. With `fresh` the files that have changed are read first. */
  listAgents(options?: { fresh?: boolean }): Promise<AgentListing[]>;
  /** Reads its file first if that has changed; not with `fresh: false`. Throws AgentNotFound. */
  getAgent(id: string, options?: { fresh?: boolean }): Promise<AgentListing>;
  /**
   * What its next run would be, with `withMessages` also what the model would be sent first. Opens its tools as a run does,
   * calls none, and stores nothing. Throws AgentNotFound.
   */
  planRun(id: string, options: { withMessages: boolean }): Promise<RunPlan>;
  brokenAgentFiles(): BrokenAgentFile[];
  /** Reads the files that changed, and reports the difference to the call before it, or to the start. */
  reloadAgents(): Promise<ReloadReport>;

  /**
   * Accepts a run: it is on disk when this returns. Throws AgentNotFound, SessionWaiting, SessionIdUnusable,
   * ServiceStopping, IdempotencyKeyReused.
   */
  run(agentId: string, request: RunRequest): Promise<AcceptedExecution>;
  /** Cancels; returns what happened: `cancelling`, or the final status. Throws ExecutionNotFound. */
  cancel(id: number): Promise<"cancelling" | ExecutionStatus>;
  /** The question that an execution waits with, redacted. Throws ExecutionNotFound and NoPendingRequest. */
  pendingRequest(id: number): Promise<PendingRequest>;
  /**
   * What the call would do to a file with other arguments, which are checked; null for one that does nothing to files.
   * Changes nothing. Throws as respond() does.
   */
  previewArguments(
    id: number,
    edit: { requestId: string; args: JsonObject },
  ): Promise<CallPreview | null>;
  /**
   * Answers it; the execution continues. Throws ExecutionNotFound, NotWaiting (also for an answer to an older request),
   * AnswerMisfit, ArgumentsNotChecked and ServiceStopping.
   */
  respond(id: number, response: GivenResponse): Promise<void>;
  /**
   * Adds a tool to `auto_approve` in an agent's file; without `write` only tells what would change. Throws AgentNotFound,
   * NotAutoApproved and ReadOnlyRuntime.
   */
  autoApprove(agentId: string, request: { tool: string; write: boolean }): Promise<AutoApproval>;
  /** Newest first. */
  listExecutions(filter: ExecutionFilter): Promise<ListedExecution[]>;
  /** Executions of one agent, newest first; also of an agent whose file is gone. Throws AgentNotFound when neither exists. */
  listRuns(agentId: string, page: { limit: number; offset: number }): Promise<ListedExecution[]>;
  /** Throws ExecutionNotFound. */
  getExecution(id: number): Promise<ExecutionDetail>;
  /** Logged frames in id order. Throws ExecutionNotFound. */
  readFrames(id: number, page: { after: number; limit?: number }): Promise<Frame[]>;
  /** Replay, then live, without a seam; ends after `complete` or `waiting`. Throws ExecutionNotFound at once. */
  follow(id: number, options: FollowOptions): Promise<AsyncIterable<FollowItem>>;
  checkpointStats(): Promise<CheckpointStats>;
  /**
   * Removes stored conversations; returns how many. Without `force` the newest of each agent and those of waiting
   * executions stay; running ones always do. Throws AgentNotFound for an agent that neither exists nor ever ran.
   */
  purgeCheckpoints(options: { agentId?: string; force: boolean }): Promise<number>;
  countExecutions(): Promise<{ running: number; waiting: number }>;
  /** The services that share the database; with SQLite there are none. */
  listNodes(): Promise<ServiceNode[]>;
  usage(request: UsageRequest): Promise<UsageReport>;
  /** By agent: what came of the executions that began at `since` or later. */
  countOutcomes(since: number): Promise<ReadonlyMap<string, Outcomes>>;
  /** What happened from `since` on, before `until`, and what stands still now. */
  recap(span: { since: number; until: number }): Promise<Recap>;
  /** The last lines of the service log, redacted, oldest first. */
  readLog(options: { lines: number }): Promise<string[]>;

  /** `upcoming`: how many of the next times of each job are told; none unless given. */
  scheduler(options?: { upcoming: number }): Promise<SchedulerStatus>;
  /** No trigger fires until resumed, also after a restart. Running executions and manual runs go on. Idempotent. */
  pauseScheduler(): Promise<void>;
  /** Idempotent. Stopped triggers may fire again, too; returns how many of their file changes are dropped. */
  resumeScheduler(): Promise<number>;
  /** Lets one agent's stopped trigger fire again. Throws AgentNotFound and ReadOnlyRuntime. */
  resumeAgent(id: string): Promise<TriggerResumeResult>;
  /** What became of the times at which an agent was due, newest first. Throws AgentNotFound when it never had any. */
  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]>;

  /**
   * Refuses new runs, gives running ones `graceMs`, then aborts them with `Aborted: service stopped`. Idempotent.
   * Disposal afterwards closes the store.
   */
  stop(options: { graceMs: number }): Promise<void>;
}
