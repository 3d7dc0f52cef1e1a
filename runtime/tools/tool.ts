// The port to everything an agent may do. A tool's failure is a result the model reads, never a crash.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../clock.ts";
import type { JsonObject, JsonSchema } from "../json.ts";
import type { PathSandbox } from "./path_sandbox.ts";

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
}

/** What a model is told of a tool, and the check of what it asks for. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** Describes the arguments object. */
  readonly parameters: JsonSchema;
  /** Checks arguments against the schema and fills in defaults; throws ToolFailure with the schema's complaint. */
  check(args: unknown): JsonObject;
}

/** A tool that does something. */
export interface ActionTool extends ToolDeclaration {
  readonly question?: undefined;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The effect of a call with these (already checked) arguments. */
  effect(args: JsonObject): Effect;
  /** Runs one call and returns the text the model reads. Throws ToolFailure for an expected failure. */
  run(args: JsonObject, context: ToolContext): Promise<string>;
}

/** A tool whose result is a person's answer: there is nothing to run. */
export interface QuestionTool extends ToolDeclaration {
  /** What these (already checked) arguments ask. */
  question(args: JsonObject): ToolQuestion;
}

/** One thing an agent may do. Whether `question` is there tells which of the two it is. */
export type Tool = ActionTool | QuestionTool;
