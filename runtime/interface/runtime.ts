// Defines the interface of the runtime for the HTTP service, the command line and tests. mod.ts opens a runtime.
import type { ApprovalRequest, AutoApproval } from "./auto_approval.ts";
import type { AutomaticTriggerType } from "../vocabulary/trigger_kinds.ts";
import type { Agent, Trigger } from "../agents/agent.ts";
import type { SqlAudit } from "../audit/audit.ts";
import type { BrokenAgentFile } from "../agents/registry.ts";
import type { Recap } from "./recap.ts";
import type { RunPlan } from "./run_plan.ts";
import type { ReloadReport } from "../agents/reload_report.ts";
import type { NamedKeys } from "../people/named_keys.ts";
import type { SignIns } from "../tools/mcp/sign_in/browser_sign_in_types.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Clock } from "../../base/clock.ts";
import type { Caller } from "../vocabulary/callers.ts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import type { EventBus } from "../events/bus.ts";
import type { Frame, FrameIdentity } from "../events/frame.ts";
import type { BudgetService } from "../executions/budget/budget_service.ts";
import type { CheckpointStats } from "../executions/record/checkpoint_store.ts";
import type { PartialApproval } from "../executions/approvals.ts";
import type { AcceptedExecution, ExecutionTotals } from "../executions/execution.ts";
import type { ServiceNode } from "../executions/nodes/node_reads.ts";
import type { ExecutionStatus } from "../executions/states.ts";
import type {
  ExecutionFilter,
  ListedExecution,
  OpenCounts,
  Outcomes,
  Span,
} from "../executions/record/execution_reads.ts";
import type { GivenResponse, HumanRequest } from "../executions/human_request.ts";
import type { ChatNotes } from "../notify/chat_notes.ts";
import type { LinkedQuestion } from "../notify/answer_links.ts";
import type { MessageTests } from "../notify/message_tests.ts";
import type { RecordedRuns } from "./recorded_runs.ts";
import type { WorkspaceFiles } from "./workspace_files.ts";
import type { RunRequest } from "../executions/runs/run_request.ts";
import type { UsageReport, UsageRequest } from "./usage_report.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Database } from "../database/database.ts";
import type { SchedulerState } from "../triggers/pause.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";
import type { CallPreview } from "../executions/record/call_preview.ts";
import type { TriggerNotes } from "../triggers/trigger_source.ts";
import type { TriggerResumeResult } from "../triggers/triggers.ts";
import type { DeliveryPort } from "../triggers/webhook/webhooks.ts";

export type { BudgetFigures } from "../executions/budget.ts";
export type { RaiseRequest } from "../executions/budget/budget_service.ts";
export type { BrokenAgentFile } from "../agents/registry.ts";
export type { ReloadReport } from "../agents/reload_report.ts";
export type {
  ExecutionFilter,
  ListedExecution,
  OpenCounts,
  Outcomes,
  Span,
} from "../executions/record/execution_reads.ts";
export type { ServiceNode } from "../executions/nodes/node_reads.ts";
export type { LinkedQuestion } from "../notify/answer_links.ts";
export type { CallPreview } from "../executions/record/call_preview.ts";
export type { Recap } from "./recap.ts";
export type { Replay } from "../replay/difference.ts";
export type { ForkRequest } from "../replay/fork_request.ts";
export type { RunPlan } from "./run_plan.ts";
export type { UsageReport, UsageRequest } from "./usage_report.ts";
export type { TriggerResumeResult } from "../triggers/triggers.ts";
export type { Delivery } from "../triggers/webhook/delivery.ts";
export type { HookOutcome } from "../triggers/webhook/webhooks.ts";
export type { RunRequest } from "../executions/runs/run_request.ts";

/** An agent with its newest execution and the state of its trigger. Times are in milliseconds since the epoch. */
export interface AgentListing extends TriggerNotes {
  agent: Agent;
  /** The agent's newest execution. Null if it has none. */
  lastExecution: ListedExecution | null;
}

/** An execution with its request and answer. */
export interface ExecutionDetail extends Omit<ListedExecution, "preview"> {
  outputData: string | null;
  /** The message of the request. Null if the request has only arguments or nothing. */
  message: string | null;
  context: string | null;
  /** True if secrets were removed from the request, so that a run with the shown request would differ. */
  isRequestRedacted: boolean;
  /** The execution and step that this execution was forked from. Null if it is no fork. */
  forkedFrom: { executionId: number; step: number } | null;
  /** True if the last reply was cut off, so that part of the tokens and cost is estimated. */
  isUsageEstimated: boolean;
  /** The usage of all descendants of this execution. */
  children: ExecutionTotals;
}

/** A question as shown to a person. */
export interface PendingRequest extends HumanRequest {
  /** The id of the asking agent: the execution's own, or one that it delegated to. */
  askedBy: string;
  /** The number of runs that the answer continues or ends: several may wait for the same sign-in. */
  waitingRuns: number;
  /** The change that the call would make to a file as the file is now. Null if the call changes no file. */
  preview: CallPreview | null;
}

/** An item that a follower of an execution receives. */
export type FollowItem =
  | { type: "frame"; frame: Frame }
  /**
   * Streamed text, sent only with `deltas` and never stored. With `restart`, `content` replaces the earlier text of the
   * reply.
   */
  | { type: "delta"; content: string; restart: boolean }
  /** The end of the stream: the execution waits, and the follower has all frames. `payload` is one line of JSON. */
  | { type: "waiting"; payload: string };

/** An execution that a follower follows. */
export interface FollowedExecution {
  identity: FrameIdentity;
  /** True if FollowOptions.after is the `complete` frame, so that no items follow. */
  isOver: boolean;
  /** Stored and then new items, each once. They end after a `complete` frame or a `waiting` item. */
  items: AsyncIterable<FollowItem>;
}

/** Options of Runtime.follow. */
export interface FollowOptions {
  /** The id after which the frames begin. 0 for all frames. */
  after: number;
  deltas?: boolean;
  /** The signal that ends the items without an error. It must abort if the items are never read. */
  signal: AbortSignal;
}

/** An agent with an automatic trigger. Times are in milliseconds since the epoch. */
export interface SchedulerJob {
  agentId: string;
  displayName: string;
  trigger: Extract<Trigger, { type: AutomaticTriggerType }>;
  /** The next due time. Null for a watch, and if no time is scheduled. Also set while the scheduler is paused. */
  nextRun: number | null;
  /** The next due times, beginning with `nextRun`, as many as requested. */
  upcoming: number[];
  /** The start of the agent's newest execution by any trigger. Null if it has none. */
  lastRun: number | null;
  /** The reason why this trigger is stopped. Null if it is not stopped. */
  triggerPaused: string | null;
}

/** The automatic triggers and the scheduler's state. */
export interface SchedulerStatus {
  status: SchedulerState;
  /** The reason why this service fires no triggers although it is not paused: another service fires them. */
  inactiveReason?: string;
  /** True if the watcher reports file changes. */
  watcherActive: boolean;
  /** The enabled agents with a schedule or a watch, sorted by id. */
  jobs: SchedulerJob[];
}

/** The runtime of a service, or a read-only one. Every method may throw a RuntimeError; other errors are bugs. */
export interface Runtime extends AsyncDisposable {
  readonly version: string;
  readonly config: Config;
  readonly directories: Directories;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** The start of the runtime in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The events of executions, agents and the scheduler. */
  readonly events: EventBus;
  readonly messages: RuntimeMessages;
  /** The kind and place of the database. The place contains no password. */
  readonly storage: Pick<Database, "kind" | "place"> & {
    /** The reason why the database does not respond, as a sentence. Undefined if it responds. */
    readonly problem?: string | undefined;
  };
  readonly budgets: Pick<BudgetService, "list" | "raise">;
  /** Accepts webhook deliveries. Undefined in a runtime that runs no agents. */
  readonly webhooks: DeliveryPort | undefined;
  /** The named keys of people and programs. */
  keys(): Promise<NamedKeys>;
  /** Signs people in to remote MCP servers. */
  signIns(): Promise<SignIns>;
  readonly replays: RecordedRuns;
  /** Reads and changes the files that people write. */
  files(): Promise<WorkspaceFiles>;
  /** Lists the recorded changes, and records changes of files and sign-ins. */
  readonly audit: Pick<SqlAudit, "listRecords" | "record" | "changeFile" | "readTextBefore">;

  /** Returns the agents, sorted by id. With `fresh`, reads changed files first. */
  listAgents(options?: { fresh?: boolean }): Promise<readonly AgentListing[]>;
  /** Returns an agent. Reads its file first if it has changed, except with `fresh: false`. Throws AgentNotFound. */
  getAgent(id: string, options?: { fresh?: boolean }): Promise<AgentListing>;
  /**
   * Returns the plan of an agent's next run, and with `withMessages` also the first messages to the model. Opens the
   * agent's tools as a run does, but calls none and stores nothing. Throws AgentNotFound.
   */
  planRun(id: string, options: { withMessages: boolean }): Promise<RunPlan>;
  brokenAgentFiles(): BrokenAgentFile[];
  /** Reads the changed agent files, and returns the changes since the last call or the start. */
  reloadAgents(): Promise<ReloadReport>;

  /**
   * Accepts a run. The execution is stored before this method returns. Throws AgentNotFound, SessionWaiting,
   * SessionIdUnusable, CalledTooDeep, ServiceStopping and IdempotencyKeyReused.
   */
  run(agentId: string, request: RunRequest): Promise<AcceptedExecution>;
  /** Cancels an execution. Returns `cancelling` or the final status. Throws ExecutionNotFound. */
  cancel(id: number, by?: Caller): Promise<"cancelling" | ExecutionStatus>;
  /**
   * Ends the rest of an execution, or of the descendant for which it rests, before its time. Throws ExecutionNotFound,
   * NotResting and ServiceStopping.
   */
  wake(id: number, by?: Caller): Promise<void>;
  /** Returns the open question of an execution without secrets. Throws ExecutionNotFound and NoPendingRequest. */
  pendingRequest(id: number): Promise<PendingRequest>;
  /**
   * Returns the change that the question's call, with edited arguments, would make to a file. Null if the call changes no
   * file. Does not make the change. Throws as respond() does.
   */
  previewArguments(
    id: number,
    edit: { requestId: string; args: JsonObject },
  ): Promise<CallPreview | null>;
  /**
   * Answers the open question of an execution, which then continues. Throws ExecutionNotFound, NotWaiting (also for an
   * answer to an older question), AnswerMisfit, ArgumentsNotChecked and ServiceStopping. If other people must approve the
   * call, too, the execution waits for them, and the approvals so far are returned. Throws ApproverForbidden for a sender
   * who may not answer, and ApprovedBefore for one who has approved.
   */
  respond(id: number, response: GivenResponse): Promise<PartialApproval | undefined>;
  /**
   * Adds a tool to `auto_approve` in an agent's file, or a command to `shell.allow`. Without `write`, only returns the diff.
   * Throws AgentNotFound, NotAutoApproved and ReadOnlyRuntime.
   */
  autoApprove(agentId: string, request: ApprovalRequest): Promise<AutoApproval>;
  /** Returns the executions that match the filter, newest first. */
  listExecutions(filter: ExecutionFilter): Promise<readonly ListedExecution[]>;
  /** Returns an agent's executions, newest first. Throws AgentNotFound if it has neither a file nor stored data. */
  listRuns(
    agentId: string,
    page: { limit: number; offset: number },
  ): Promise<readonly ListedExecution[]>;
  /** Returns an execution with its request and answer. Throws ExecutionNotFound. */
  getExecution(id: number): Promise<ExecutionDetail>;
  /** Returns the stored frames of an execution, sorted by id. Throws ExecutionNotFound. */
  readFrames(id: number, page: { after: number; limit?: number }): Promise<Frame[]>;
  /** Opens the log of an execution for a follower. Throws ExecutionNotFound. */
  follow(id: number, options: FollowOptions): Promise<FollowedExecution>;
  checkpointStats(): Promise<CheckpointStats>;
  /**
   * Removes stored conversations and returns their number. Without `force`, keeps each agent's newest conversation and the
   * conversations of waiting executions. Keeps those of running executions in any case. Throws AgentNotFound as listRuns()
   * does.
   */
  purgeCheckpoints(options: { agentId?: string; force: boolean; by?: Caller }): Promise<number>;
  /** Counts the open executions of all agents, or of these only. */
  countExecutions(agentIds?: readonly string[]): Promise<OpenCounts>;
  /** Returns the services that share the database. Empty with SQLite. */
  listNodes(): Promise<ServiceNode[]>;
  usage(request: UsageRequest): Promise<UsageReport>;
  /** Returns the ended and the successful executions that started at `since` or later, counted by agent id. */
  countOutcomes(since: number): Promise<ReadonlyMap<string, Outcomes>>;
  /** Returns the summary of the time from `since` to before `until`, with the open problems. */
  recap(span: Span): Promise<Recap>;
  /** Returns a text without secrets. */
  redact(text: string): string;
  /** Returns the last lines of the service log without secrets, oldest first. */
  readLog(options: { lines: number }): Promise<string[]>;
  /** Returns the scheduler's status, with the next `upcoming` due times of each job (0 if absent). */
  scheduler(options?: { upcoming: number }): Promise<SchedulerStatus>;
  /** Stops all triggers until resumeScheduler(), even across restarts. Running and manual runs continue. Idempotent. */
  pauseScheduler(by?: Caller): Promise<void>;
  /** Resumes all triggers, including stopped ones. Returns the number of file changes that were discarded. Idempotent. */
  resumeScheduler(by?: Caller): Promise<number>;
  /** Re-arms the stopped trigger of an agent. Throws AgentNotFound and ReadOnlyRuntime. */
  resumeAgent(id: string, by?: Caller): Promise<TriggerResumeResult>;
  /** Returns an agent's due times with outcomes, newest first. Throws AgentNotFound as listRuns() does. */
  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]>;

  /**
   * Refuses new runs, gives running ones `graceMs`, then aborts them with `Aborted: service stopped`. Idempotent. The store
   * stays open until the runtime is disposed.
   */
  stop(options: { graceMs: number }): Promise<void>;
}

/** The messages of the runtime for people. */
export interface RuntimeMessages {
  /** Returns the question that a link with this token leads to. Undefined for an unknown token. */
  findLink(token: string): Promise<LinkedQuestion | undefined>;
  /** Returns true if messages wait to be sent. */
  hasOpen(): Promise<boolean>;
  /** Returns the notes that a chat keeps across restarts. */
  openChatNotes(chat: string): Promise<ChatNotes>;
  /** The last test message of each channel, and their links. */
  readonly tests: Pick<MessageTests, "list" | "findLink" | "confirm">;
}
