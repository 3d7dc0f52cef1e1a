// The context of one run, which all steps of the loop share.
import type { Agent } from "../../agents/agent.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonSchema, JsonValue } from "../../../base/json.ts";
import type { Model, ModelReply } from "../../models/model.ts";
import type { DescribedCall } from "../record/call_preview.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import type { Delegation, ShownMedia, ToolContext } from "../../tools/definition/tool.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import type { PackedTerms } from "../record/call_terms.ts";
import type { Conversation, PlannedCall } from "../record/conversation.ts";
import type { StoredCall } from "../record/conversation_store.ts";
import type { Execution } from "../execution.ts";
import type { GivenAnswer } from "../human_request.ts";
import type { Outcome } from "../record/ending_store.ts";
import type { Journal } from "../record/journal.ts";
import type { RedactedReply } from "../record/redacted_reply.ts";
import type { Telemetry } from "./telemetry.ts";

/** The required format of an answer. */
export interface AnswerFormat {
  schema: JsonSchema;
  /** Returns the faults of an answer, each a JSON pointer with the reason. Rethrows the signal's reason. */
  findFaults(answer: JsonValue, options: { signal: AbortSignal }): Promise<string[]>;
}

/** Reads the text of a PDF file in a separate process. Rethrows the signal's reason. */
export type ReadPdf = (
  pdf: Uint8Array,
  context: Pick<ToolContext, "signal" | "clock" | "redactor">,
) => Promise<ShownMedia>;

/** One stretch of an execution: from its start, or from its last pause, to its next pause or its end. */
export interface Run {
  /** The record at the beginning of this run. */
  execution: Execution;
  agent: Agent;
  model: Model;
  /** The required format of the answer. Undefined: any text. */
  format: AnswerFormat | undefined;
  toolbox: Toolbox;
  /** Returns the terms of its last model call. */
  terms(): Promise<PackedTerms>;
  sandbox: PathSandbox;
  /** Reads the text of a PDF file. Absent if no tool runs. */
  readPdf?: ReadPdf;
  conversation: Conversation;
  /** Calls that an earlier process left without a result, by position. */
  leftCalls: ReadonlyMap<number, StoredCall>;
  /** The answers of people, by the position of the call. */
  answers: ReadonlyMap<number, readonly GivenAnswer[]>;
  /** The positions of calls that had started child executions when this run began. */
  delegated: ReadonlySet<number>;
  journal: Journal;
  /** Opens the stream of the next reply. */
  openReply(): RedactedReply;
  /** Returns the cost of a reply in US dollars, or null if no price is known. */
  costOf(reply: ModelReply): Promise<number | null>;
  clock: Clock;
  telemetry: Telemetry;
  /** Redacts the keys of model providers, which must never enter a conversation. */
  withoutKeys<T>(value: T): T;
  /** Knows all secrets. */
  redactor: Redactor;
  /**
   * Starts the child execution of a call, or waits for the existing one of a call in `delegated`. Throws ToolFailure if the
   * child may not be started. If the run stops, it ends the child first and then throws the signal's reason.
   */
  delegate(call: PlannedCall, delegation?: Delegation): Promise<DelegationState>;
  /** Write to the service log: a tool's line, or a warning. */
  note(message: string): void;
  warn(message: string): void;
  /** Aborts with a RunStopped if the run must end early. */
  signal: AbortSignal;
}

/** The state of a child execution for its parent. */
export type DelegationState =
  /** It has ended. The caller's model reads `content`. `described` has the calls of a dry run. */
  | { state: "ended"; content: string; described?: DescribedCall[] }
  /** It waits for a person. */
  | { state: "waiting"; childId: number };

/** The abort reason of a run's signal, with the outcome. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly outcome: Outcome;
  /** True if the next start may continue the run, as the agent's `on_restart` says. */
  readonly resumable: boolean;
  /** True if another machine may have claimed the execution. Nothing more may be written, not even an end. */
  readonly isLost: boolean;

  constructor(error: string, { resumable = false, isLost = false } = {}) {
    super(error);
    this.resumable = resumable || isLost;
    this.isLost = isLost;
    this.outcome = { status: "aborted", error, output: null };
  }
}

/** Returns true if the run was stopped so that the next start, or another machine, continues it. */
export function isLeftForRestart({ reason }: Pick<AbortSignal, "reason">): boolean {
  return reason instanceof RunStopped && reason.resumable;
}

/** Returns true if another machine may have claimed the run. */
export function isLost({ reason }: AbortSignal): boolean {
  return reason instanceof RunStopped && reason.isLost;
}
