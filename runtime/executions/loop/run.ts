// Defines the context of a run, which all steps of the loop share.
import type { Agent } from "../../agents/agent.ts";
import type { Model } from "../../models/model.ts";
import type { DescribedCall } from "../record/call_preview.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import type { Delegation } from "../../tools/definition/tool.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import type { PackedTerms } from "../record/call_terms.ts";
import type { Conversation, PlannedCall } from "../record/conversation.ts";
import type { StoredCall } from "../record/conversation_store.ts";
import type { Execution } from "../execution.ts";
import type { GivenAnswer } from "../human_request.ts";
import type { Outcome } from "../record/ending_store.ts";
import type { Journal } from "../record/journal.ts";
import type { AnswerFormat, RunPorts } from "./run_ports.ts";

/** The context of a run, which lasts from the execution's start or last pause to its next pause or end. */
export interface Run extends RunPorts {
  /** The stored record at the beginning of the run. */
  execution: Execution;
  agent: Agent;
  model: Model;
  /** The output schema of the answer. Undefined if any text is an answer. */
  format: AnswerFormat | undefined;
  toolbox: Toolbox;
  /** The names of tools that MCP servers have removed during the run. */
  goneTools?: ReadonlySet<string>;
  /** Renews `toolbox` before a model call, if an MCP server has changed its tools. Absent without such servers. */
  renewTools?(): Promise<void>;
  /** Returns the settings and tools of the run's last model call, serialized. */
  terms(): Promise<PackedTerms>;
  sandbox: PathSandbox;
  conversation: Conversation;
  /** The calls that an earlier process left without a result, by position. */
  leftCalls: ReadonlyMap<number, StoredCall>;
  /** The answers of people, by the position of the call. */
  answers: ReadonlyMap<number, readonly GivenAnswer[]>;
  /** The positions of calls that had started child executions when this run began. */
  delegated: ReadonlySet<number>;
  journal: Journal;
  /**
   * Starts the child execution of a call and waits for it, or waits for the existing child of a call in `delegated`. Throws
   * ToolFailure if the child may not be started. If the run stops, ends the child and throws the signal's reason.
   */
  delegate(call: PlannedCall, delegation?: Delegation): Promise<DelegationState>;
  /** Writes a message of a tool or a warning to the service log. */
  note(message: string): void;
  warn(message: string): void;
  /** Aborted with a RunStopped if the run must end early. */
  signal: AbortSignal;
}

/** The state of a child execution for its parent. */
export type DelegationState =
  /** The child has ended. `content` is the result for the parent's model. `described` has the calls of a dry run. */
  | { state: "ended"; content: string; described?: DescribedCall[] }
  /** The child rests or waits for a person. */
  | { state: "waiting"; childId: number };

/** The abort reason of a run's signal. Contains the outcome of the run. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly outcome: Outcome;
  /** True if the next start may continue the run, depending on the agent's `on_restart`. */
  readonly resumable: boolean;
  /** True if another machine may have claimed the execution. This process must then store nothing more about it. */
  readonly isLost: boolean;

  constructor(error: string, { resumable = false, isLost = false } = {}) {
    super(error);
    this.resumable = resumable || isLost;
    this.isLost = isLost;
    this.outcome = { status: "aborted", error, output: null };
  }
}

/** Returns true if the run was stopped in order to be continued by the next start or by another machine. */
export function isLeftForRestart({ reason }: Pick<AbortSignal, "reason">): boolean {
  return reason instanceof RunStopped && reason.resumable;
}

/** Returns true if another machine may have claimed the execution. */
export function isLost({ reason }: AbortSignal): boolean {
  return reason instanceof RunStopped && reason.isLost;
}
