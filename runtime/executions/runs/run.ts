// Everything one run works with, gathered once; the steps of the loop take it whole.
import type { Agent } from "../../agents/agent.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonSchema, JsonValue } from "../../../base/json.ts";
import type { Model, ModelReply } from "../../models/model.ts";
import type { DescribedCall } from "../../tools/call_preview.ts";
import type { PathSandbox } from "../../tools/files/path_sandbox.ts";
import type { Delegation, ShownMedia, ToolContext } from "../../tools/tool.ts";
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
import type { Telemetry } from "../telemetry.ts";

/** The form that an answer has to have. */
export interface AnswerFormat {
  schema: JsonSchema;
  /** Where the answer does not fit, each a JSON pointer with the reason; empty where it does. Rethrows the signal's reason. */
  faultsOf(answer: JsonValue, options: { signal: AbortSignal }): Promise<string[]>;
}

/** Reads the text of a PDF file in a process of its own. Rethrows the signal's reason. */
export type ReadPdf = (
  pdf: Uint8Array,
  context: Pick<ToolContext, "signal" | "clock" | "redactor">,
) => Promise<ShownMedia>;

/** One run of an execution: from its start, or from where it was left, to its next rest. */
export interface Run {
  /** As it stood when this run of it began. */
  execution: Execution;
  agent: Agent;
  model: Model;
  /** What the answer has to fit; undefined: it may be any text. */
  format: AnswerFormat | undefined;
  toolbox: Toolbox;
  /** What its last model call sent besides messages. */
  terms(): Promise<PackedTerms>;
  sandbox: PathSandbox;
  /** The text of a PDF file. Absent where no tool runs. */
  readPdf?: ReadPdf;
  conversation: Conversation;
  /** Calls that an earlier process left without a result, by place. */
  leftCalls: ReadonlyMap<number, StoredCall>;
  /** What people answered, by the place of the call it was asked for. */
  answers: ReadonlyMap<number, readonly GivenAnswer[]>;
  /** The places of calls that other executions were started for when this run of it began. */
  delegated: ReadonlySet<number>;
  journal: Journal;
  /** What shows the next reply while it streams. */
  openReply(): RedactedReply;
  /** What a reply cost in US dollars; null where no price is known. */
  costOf(reply: ModelReply): Promise<number | null>;
  clock: Clock;
  telemetry: Telemetry;
  /** The value without keys of model providers: these never enter a conversation, not even a stored one. */
  withoutKeys<T>(value: T): T;
  /** Knows all secrets. */
  redactor: Redactor;
  /**
   * Lets another agent do what a call asks for, or continues to wait for the execution that does: for a call in `delegated`
   * nothing else is asked. Throws ToolFailure where it may not, and the signal's reason once the run ends, after the other
   * execution has ended, too.
   */
  delegate(call: PlannedCall, delegation?: Delegation): Promise<DelegationState>;
  /** Lines in the service log: of a tool, and a warning. */
  note(message: string): void;
  warn(message: string): void;
  /** Aborts with a RunStopped when the run has to end early. */
  signal: AbortSignal;
}

/** How far an execution has come that another one delegated to. */
export type DelegationState =
  /** It has ended; the content is what the caller's model reads; a dry one described these calls. */
  | { state: "ended"; content: string; described?: DescribedCall[] }
  /** It waits for a person. */
  | { state: "waiting"; childId: number };

/** The reason of a run's signal: it ends now, and this is how. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly outcome: Outcome;
  /** Whether another start may continue the run, where its agent wants that. */
  readonly resumable: boolean;
  /** Whether another machine may have it: nothing more may be written, nor ended. */
  readonly isLost: boolean;

  constructor(error: string, { resumable = false, isLost = false } = {}) {
    super(error);
    this.resumable = resumable || isLost;
    this.isLost = isLost;
    this.outcome = { status: "aborted", error, output: null };
  }
}

/** Whether the run was stopped so that the next start, or another machine, continues it. */
export function isLeftForRestart({ reason }: Pick<AbortSignal, "reason">): boolean {
  return reason instanceof RunStopped && reason.resumable;
}

/** Whether another machine may have the run. */
export function isLost({ reason }: AbortSignal): boolean {
  return reason instanceof RunStopped && reason.isLost;
}
