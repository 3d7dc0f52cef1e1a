// The port to everything an agent may do. A tool's failure is a result the model reads, never a crash.
import type { Agent } from "../agents/agent.ts";
import type { ServerOrigin } from "../agents/guarded_tools.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject, JsonSchema } from "../../base/json.ts";
import type { Media } from "../tool_vocabulary.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { PathSandbox } from "./files/path_sandbox.ts";

/**
 * What a repetition of a call does. After a crash a `read` or `idempotent` call of unknown outcome runs again; an
 * `unsafe` one does not.
 */
export type Effect = "read" | "idempotent" | "unsafe";

/** What a tool wants to know from a person. */
export interface ToolQuestion {
  kind: "confirm" | "input" | "choice";
  message: string;
  /** What may be chosen; null unless the kind is `choice`. */
  options: string[] | null;
  multi: boolean;
  /** How many answers its call had used when it asked, of a call that may ask several things: its place among them. */
  answersBefore?: number;
}

/** A person's answer, or the passing of the deadline. */
export type HumanAnswer =
  | {
    approved: boolean;
    reason?: string;
    /** Checked; in place of the call's own. */
    arguments?: JsonObject;
  }
  | { text: string }
  | { selected: string[] }
  | { expired: true };

/** A question that a call raised, as it was put to a person, and what came of it. */
export interface AnsweredQuestion {
  question: ToolQuestion;
  answer: HumanAnswer;
}

/** What a running tool is given. */
export interface ToolContext {
  /** Aborts when the execution is cancelled, aborted or the service stops. Tools pass it on to whatever they wait for. */
  signal: AbortSignal;
  executionId: number;
  toolCallId: string;
  agent: Agent;
  sandbox: PathSandbox;
  clock: Clock;
  /**
   * What people answered to the questions that this very call raised, in the order of asking. A call that raises one
   * (see QuestionRaised) is run again from its beginning once the answer is there, also by another process. An answer
   * holds for its question and no other: things may have changed since, and the call ask something else.
   */
  answers: readonly AnsweredQuestion[];
  /** Knows the secrets: what a tool cuts, or takes apart for the log, goes through it first. */
  redactor: Redactor;
  /** Writes a line about this call into the service log. */
  log(message: string): void;
  /**
   * Shows the model a picture or a PDF file beside the result, or its text where the model takes no PDF file. Returns undefined
   * for other bytes, and where the model does not take it. Absent: it takes none.
   */
  show?(bytes: Uint8Array): Promise<ShownMedia | undefined>;
}

/** A result names a picture or a PDF file by this text. */
export interface ShownMedia {
  text: string;
  /** True: the text is the content of the file, of any length. */
  isContent?: boolean;
}

/** A result that brings something with it. */
export interface LadenResult {
  /** What the model reads as the result. */
  content: string;
  /** What is said to it then, whole, tags included: a user message behind the reply's results. */
  instructions?: string;
  /** The pictures and PDF files that it sees beside `content`. */
  media?: readonly Media[];
}

/** What a call would do to a file: its content as it is, null for none, and as it would be, null where it would be gone. */
export interface FileChange {
  /** As tools show it. */
  path: string;
  before: string | null;
  after: string | null;
}

/** A file that would get another name. */
export interface FileRenaming {
  path: string;
  destination: string;
}

/** What a model is told of a tool, and the check of what it asks for. */
export interface ToolDeclaration {
  readonly name: string;
  /** Names that it would have beside other tools: a guard by one of them holds, whatever tools come and go. */
  readonly otherNames?: readonly string[];
  /** Set for a tool of an MCP server. */
  readonly origin?: ServerOrigin;
  readonly description: string;
  /** Describes the arguments object. */
  readonly parameters: JsonSchema;
  /** Checks arguments against the schema and fills in defaults; throws ToolFailure with the schema's complaint. */
  check(args: unknown): JsonObject;
}

/** A tool that does something. */
export interface ActionTool extends ToolDeclaration {
  readonly question?: undefined;
  readonly delegation?: undefined;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The most bytes (UTF-8) of a result; what is longer is cut. Absent: RESULT_LIMIT_BYTES (result_text.ts). */
  readonly maxResultBytes?: number | undefined;
  /**
   * What its calls read or change. Those of one reply that work on the same take effect in the order of the reply; absent:
   * they run side by side with all others.
   */
  readonly worksOn?: "files" | "memory";
  /** The effect of every call; null where the arguments decide. */
  readonly fixedEffect: Effect | null;
  /**
   * What a call with these (already checked) arguments would do to a file as it is now; changes nothing. Throws ToolFailure
   * where it would fail, and NotShown (shown_text.ts) where it would not, but cannot be shown.
   */
  preview?(
    args: JsonObject,
    context: Pick<ToolContext, "sandbox">,
  ): Promise<FileChange | FileRenaming>;
  /** The effect of a call with these (already checked) arguments. */
  effect(args: JsonObject): Effect;
  /**
   * Runs one call and returns what the model reads. Throws ToolFailure for an expected failure, and QuestionRaised where
   * a person must decide first.
   */
  run(args: JsonObject, context: ToolContext): Promise<string | LadenResult>;
}

/** A tool whose result is a person's answer: there is nothing to run. */
export interface QuestionTool extends ToolDeclaration {
  readonly delegation?: undefined;
  /** What these (already checked) arguments ask. */
  question(args: JsonObject): ToolQuestion;
}

/** A tool that another agent answers. */
export interface DelegationTool extends ToolDeclaration {
  readonly question?: undefined;
  /** Whom these (already checked) arguments call, with what. Throws ToolFailure for an agent that may not be called. */
  delegation(args: JsonObject): Delegation;
}

/** A wish to let another agent do something. */
export interface Delegation {
  agentId: string;
  args: string[];
}

/** One thing an agent may do. Which of `run`, `question` and `delegation` is there tells which kind it is. */
export type Tool = ActionTool | QuestionTool | DelegationTool;
