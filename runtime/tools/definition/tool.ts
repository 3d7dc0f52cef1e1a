// The interface of a tool. A tool reports its failure as a result for the model, and never ends the run.
import type { Agent } from "../../agents/agent.ts";
import type { ServerOrigin } from "../../agents/guarded_tools.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";

/**
 * The effect of a call, which decides about its repetition. After a crash, a `read` or `idempotent` call without a result
 * runs again; an `unsafe` call does not.
 */
export type Effect = "read" | "idempotent" | "unsafe";

/** A tool's question to a person. */
export interface ToolQuestion {
  kind: "confirm" | "input" | "choice";
  message: string;
  /** The options of a choice. Null for the other kinds of questions. */
  options: string[] | null;
  multi: boolean;
  /** The number of answers that the call had used when it asked this question. Only set for a call that can ask several. */
  answersBefore?: number;
}

/** A person's answer to a question, or the fact that its deadline passed. */
export type HumanAnswer =
  | {
    approved: boolean;
    reason?: string;
    /** Arguments that the person changed, checked against the tool's schema. They replace the call's arguments. */
    arguments?: JsonObject;
  }
  | { text: string }
  | { selected: string[] }
  | { expired: true };

/** A question that a call asked, with its answer. */
export interface AnsweredQuestion {
  question: ToolQuestion;
  answer: HumanAnswer;
}

/** The second argument of a tool's `run`: facts about the call, and functions for it. */
export interface ToolContext {
  /**
   * Aborts when the execution is cancelled or aborted, or the service stops. A tool passes the signal to every operation
   * that it awaits.
   */
  signal: AbortSignal;
  executionId: number;
  /** The number of executions above the execution. Default: 0. */
  depth?: number;
  toolCallId: string;
  /** The time of the call's start, in milliseconds since the epoch. It is the same in findOutcome() after a crash. */
  startedAt: number;
  agent: Agent;
  sandbox: PathSandbox;
  clock: Clock;
  /** Returns the machine's time zone as an IANA name. */
  timeZone: () => string;
  /**
   * The answers to the questions that this call asked, in order. After a question (see QuestionRaised) is answered, the
   * call is run again from its beginning, possibly by another process. A tool must compare the question before it uses an
   * answer, because the repeated call may ask a different one.
   */
  answers: readonly AnsweredQuestion[];
  /**
   * The last rest of a call of this reply, see RestRaised. `ended` is present if it was this call's own rest. Undefined if
   * no call of the reply has rested.
   */
  rested?: { since: number; until: number; ended?: { at: number; by: "time" | "person" } };
  /**
   * Removes secrets from texts. A tool passes a text through the redactor before it cuts the text or splits it for the log,
   * because a part of a secret is not recognized.
   */
  redactor: Redactor;
  /** Writes a line about this call to the service log. */
  log(message: string): void;
  /** Shows the viewers of the run a text about the call while it runs. */
  report(text: string): Promise<void>;
  /**
   * Shows the model a picture or a PDF file with the result, or the PDF's text if the model accepts no PDF. Returns
   * undefined if the bytes have another format, or one that the model does not accept. Undefined if the model accepts no
   * files.
   */
  show?(bytes: Uint8Array): Promise<ShownMedia | undefined>;
}

/** The result of `show`: the text by which the tool's result represents a picture or PDF file. */
export interface ShownMedia {
  text: string;
  /**
   * True if `text` is the file's extracted content, without a size limit. Otherwise `text` is a reference to the shown
   * file.
   */
  isContent?: boolean;
}

/** The result of a call: a text, with instructions or files for the model. */
export interface RichResult {
  /** The text of the result for the model. */
  content: string;
  /** The text of a user message that follows the results of all calls of the reply. It is sent unchanged, tags included. */
  instructions?: string;
  /** Pictures and PDF files that the model sees beside `content`. */
  media?: readonly Media[];
}

/** The change of a file by a call. `before` is null for a new file, `after` for a deleted file. */
export interface FileChange {
  /** The path as shown to the model: relative to the workspace, or `{alias}/...`. */
  path: string;
  before: string | null;
  after: string | null;
}

/** The move of a file by a call. Both paths are in the form that the model sees. */
export interface FileRenaming {
  path: string;
  destination: string;
}

/** The rule by which single calls of a tool wait for approval, in addition to the guards in the agent's settings. */
export interface CallApproval {
  /** True if calls may wait for approval. */
  mayAsk: boolean;
  /** Returns true if a call with these checked arguments waits for approval. */
  asks(args: JsonObject): boolean;
  /** Returns the question about a call with these checked arguments. */
  question(args: JsonObject): string;
}

/** The part that all kinds of tools share: the description for the model, and the check of the arguments. */
export interface ToolDeclaration {
  readonly name: string;
  /**
   * Further names that the tool would get if another tool had its name. A guard by any of these names applies to the tool.
   */
  readonly otherNames?: readonly string[];
  /** True for a custom tool with the name of a built-in tool, which the agent then does not have. */
  readonly replacesBuiltin?: boolean;
  /** The server and the tool's name on that server. Only set for a tool of an MCP server. */
  readonly origin?: ServerOrigin;
  readonly description: string;
  /** The JSON schema of the arguments object. */
  readonly parameters: JsonSchema;
  /** Returns the arguments with defaults filled in. Throws ToolFailure with the reasons if they do not fit the schema. */
  check(args: unknown): JsonObject;
}

/** A tool that performs an action. */
export interface ActionTool extends ToolDeclaration {
  readonly question?: undefined;
  readonly delegation?: undefined;
  /** The time limit of one call, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * The maximum size of a result in UTF-8 bytes; a longer result is cut. Undefined: RESULT_LIMIT_BYTES (result_text.ts).
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * The resource that the tool's calls use. Calls of one reply that use the same resource take effect in the order of the
   * reply. Undefined: the tool's calls run in parallel with all others.
   */
  readonly worksOn?: "files" | "memory";
  /** Returns true if a call with these checked arguments writes a file. Only set for tools with `mayWriteFile` in builtin_tools.ts. */
  readonly writesFile?: (args: JsonObject) => boolean;
  /** The effect of every call. Null if the effect depends on the arguments. */
  readonly fixedEffect: Effect | null;
  /**
   * Returns the change that a call with these checked arguments would make to a file, without making it. Returns undefined
   * if the call changes no file. Throws ToolFailure if the call would fail, and PreviewUnavailable (preview_text.ts) if the
   * change cannot be shown.
   */
  preview?(
    args: JsonObject,
    context: Pick<ToolContext, "sandbox">,
  ): Promise<FileChange | FileRenaming | undefined>;
  /** The rule by which single calls wait for approval. Undefined: only the agent's settings decide. */
  readonly approval?: CallApproval;
  /** Returns the effect of a call with these checked arguments. */
  effect(args: JsonObject): Effect;
  /**
   * Returns the result of an unsafe call that a crash interrupted, without making it again. Undefined if the outcome stays
   * unknown.
   */
  findOutcome?(context: ToolContext): Promise<string | undefined>;
  /**
   * Runs one call and returns its result for the model. Throws ToolFailure for an expected failure, and QuestionRaised to
   * ask a person.
   */
  run(args: JsonObject, context: ToolContext): Promise<string | RichResult>;
}

/** A tool that asks a person and returns the answer. The runtime asks the question, so the tool has no `run`. */
export interface QuestionTool extends ToolDeclaration {
  readonly delegation?: undefined;
  /** Returns the question that these checked arguments describe. */
  question(args: JsonObject): ToolQuestion;
}

/** A tool whose result is the answer of another agent. */
export interface DelegationTool extends ToolDeclaration {
  readonly question?: undefined;
  /** Returns the agent to run and its arguments. Throws ToolFailure if the caller may not run that agent. */
  delegation(args: JsonObject): Delegation;
}

/** A request to run another agent. */
export interface Delegation {
  agentId: string;
  args: string[];
}

/** A tool of an agent. Its kind is given by the member that exists: `run`, `question` or `delegation`. */
export type Tool = ActionTool | QuestionTool | DelegationTool;
