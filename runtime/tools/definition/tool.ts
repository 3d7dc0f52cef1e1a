// The interface of everything that an agent may do. A tool's failure is a result for the model, never a crash.
import type { Agent } from "../../agents/agent.ts";
import type { ServerOrigin } from "../../agents/guarded_tools.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";

/**
 * The effect of repeating a call. After a crash a `read` or `idempotent` call without a result runs again; an `unsafe` one
 * does not.
 */
export type Effect = "read" | "idempotent" | "unsafe";

/** A tool's question to a person. */
export interface ToolQuestion {
  kind: "confirm" | "input" | "choice";
  message: string;
  /** The options to choose from. Null unless the kind is `choice`. */
  options: string[] | null;
  multi: boolean;
  /** For a call that asks several questions: the number of answers that it had used when it asked this one. */
  answersBefore?: number;
}

/** A person's answer, or the expiry of the deadline. */
export type HumanAnswer =
  | {
    approved: boolean;
    reason?: string;
    /** Checked; they replace the call's own arguments. */
    arguments?: JsonObject;
  }
  | { text: string }
  | { selected: string[] }
  | { expired: true };

/** A question that a call raised, and its answer. */
export interface AnsweredQuestion {
  question: ToolQuestion;
  answer: HumanAnswer;
}

/** The context of a running tool. */
export interface ToolContext {
  /**
   * Aborts when the execution is cancelled or aborted, or the service stops. Tools pass it on to everything that they
   * await.
   */
  signal: AbortSignal;
  executionId: number;
  toolCallId: string;
  agent: Agent;
  sandbox: PathSandbox;
  clock: Clock;
  /**
   * The answers to the questions that this very call raised, in order. A call that raises a question (see QuestionRaised)
   * is run again from its beginning when the answer is there, possibly by another process. An answer belongs to its
   * question only, because a repeated call may ask a different one.
   */
  answers: readonly AnsweredQuestion[];
  /** The redactor of secrets. A tool passes text through it before it cuts the text, or splits it for the log. */
  redactor: Redactor;
  /** Writes a line about this call to the service log. */
  log(message: string): void;
  /**
   * Shows the model a picture or a PDF file beside the result, or the PDF's text if the model accepts no PDF. Returns
   * undefined for other bytes, and if the model does not accept the format. Absent: the model accepts none.
   */
  show?(bytes: Uint8Array): Promise<ShownMedia | undefined>;
}

/** The text by which a result refers to a picture or a PDF file. */
export interface ShownMedia {
  text: string;
  /** True if the text is the file's content, of any length. */
  isContent?: boolean;
}

/** A result with attachments. */
export interface RichResult {
  /** The text of the result for the model. */
  content: string;
  /** An additional user message after the reply's results, passed unchanged, tags included. */
  instructions?: string;
  /** Pictures and PDF files that the model sees beside `content`. */
  media?: readonly Media[];
}

/** The effect of a call on a file: its content before, null for a new file, and after, null for a deleted file. */
export interface FileChange {
  /** In the notation of the tools. */
  path: string;
  before: string | null;
  after: string | null;
}

/** A file that would be renamed. */
export interface FileRenaming {
  path: string;
  destination: string;
}

/** The description of a tool for the model, and the check of its arguments. */
export interface ToolDeclaration {
  readonly name: string;
  /** The names that the tool could have beside other tools. A guard by any of them applies, whatever other tools exist. */
  readonly otherNames?: readonly string[];
  /** Set for a tool of an MCP server. */
  readonly origin?: ServerOrigin;
  readonly description: string;
  /** Describes the arguments object. */
  readonly parameters: JsonSchema;
  /** Checks arguments against the schema and fills in defaults. Throws ToolFailure with the schema's complaints. */
  check(args: unknown): JsonObject;
}

/** A tool that performs an action. */
export interface ActionTool extends ToolDeclaration {
  readonly question?: undefined;
  readonly delegation?: undefined;
  /** The time limit of one call, in milliseconds. */
  readonly timeoutMs: number;
  /** The maximum size of a result in UTF-8; a longer one is cut. Absent: RESULT_LIMIT_BYTES (result_text.ts). */
  readonly maxResultBytes?: number | undefined;
  /**
   * The resource that its calls read or change. Calls of one reply with the same resource take effect in order; without one
   * they run in parallel.
   */
  readonly worksOn?: "files" | "memory";
  /** The effect of every call. Null if it depends on the arguments. */
  readonly fixedEffect: Effect | null;
  /**
   * Returns the change that a call with these checked arguments would make to a file now, without making it. Throws
   * ToolFailure if the call would fail, and PreviewUnavailable (preview_text.ts) if the change cannot be shown.
   */
  preview?(
    args: JsonObject,
    context: Pick<ToolContext, "sandbox">,
  ): Promise<FileChange | FileRenaming>;
  /** Returns the effect of a call with these checked arguments. */
  effect(args: JsonObject): Effect;
  /**
   * Runs one call and returns its result for the model. Throws ToolFailure for an expected failure, and QuestionRaised when
   * a person must decide first.
   */
  run(args: JsonObject, context: ToolContext): Promise<string | RichResult>;
}

/** A tool that asks a person and returns the answer. It has nothing to run. */
export interface QuestionTool extends ToolDeclaration {
  readonly delegation?: undefined;
  /** Returns the question in these checked arguments. */
  question(args: JsonObject): ToolQuestion;
}

/** A tool that another agent answers. */
export interface DelegationTool extends ToolDeclaration {
  readonly question?: undefined;
  /** Returns the agent and the arguments of a delegation. Throws ToolFailure for an agent that may not be called. */
  delegation(args: JsonObject): Delegation;
}

/** A request to run another agent. */
export interface Delegation {
  agentId: string;
  args: string[];
}

/** One thing that an agent may do. Its kind is given by the member that exists: `run`, `question` or `delegation`. */
export type Tool = ActionTool | QuestionTool | DelegationTool;
