// Declares the messages between the service and the child process that hosts a tool: one JSON object per line. The file
// contains few values, because the child loads it.
import type { JsonObject, JsonSchema, JsonValue } from "../../../base/json.ts";

/** The permissions of the worker that runs a tool or script. The paths in `read` and `write` are absolute. */
export interface WorkerPermissions {
  read: string[];
  write: string[];
  net: string[];
  env: string[];
}

/** The facts about a call that the tool gets in its context. */
export interface CallFacts {
  agentId: string;
  executionId: number;
  workspace: string;
  paths: Record<string, string>;
}

/** A file of custom tools to load. `stem` is the file's name without extension: the name of a default export. */
export interface ToolModule {
  url: string;
  stem: string;
  /** True if closeLoader() must be called before the file is loaded. */
  closesLoader: boolean;
}

/**
 * A message from the service to the child. The first message is `hello`. The service repeats `describe` and `call` until
 * the child confirms them; the child does the work of each `id` only once.
 */
export type ToHost =
  /**
   * The child begins each of its messages with `mark`, which tools cannot know. `keeps` lists the kinds of permission that
   * tools in this child get.
   */
  | { type: "hello"; mark: string; keeps: ("net" | "env")[] }
  | { type: "ping" }
  | { type: "describe"; id: string; module: ToolModule; permissions: WorkerPermissions }
  | {
    type: "call";
    id: string;
    module: ToolModule;
    tool: string;
    args: JsonObject;
    surroundings: CallFacts;
    permissions: WorkerPermissions;
  }
  | HostReply
  | { type: "abort" };

/** A message that starts work: the description of a file, or a call. */
export type HostWork = Extract<ToHost, { type: "describe" | "call" }>;

/** The answer to a tool's request: a value, or the message of an error. */
export type HostReply = { type: "reply"; id: number; value: unknown } | {
  type: "reply";
  id: number;
  error: string;
};

/** A request of a running tool to the service: to resolve a path, or to ask a person. */
export type ToolRequest =
  | { kind: "path"; text: string; access: "read" | "write" }
  | { kind: "confirm"; message: string }
  | { kind: "ask"; message: string }
  | { kind: "choose"; message: string; options: string[]; multi: boolean };

/**
 * A message from the worker to the service, which the child passes on. `described`, `done` and `failed` are the last
 * messages of a piece of work.
 */
export type FromWorker =
  /** `tools` is the JSON text of the tools that the file declares: an array of objects that nothing has checked. */
  | { type: "described"; tools: string }
  | { type: "done"; result: string }
  /**
   * `place` is the position of the error in a file that cannot be loaded, relative to the tools folder: `lib/a.ts:3:27`.
   */
  | { type: "failed"; message: string; stack: string; place?: string }
  | { type: "log"; text: string }
  | { type: "request"; id: number; request: ToolRequest };

/** A message from the child to the service. */
export type FromHost =
  | FromWorker
  | { type: "pong" }
  | { type: "started" }
  /** `message` is the reason for which the child exits. */
  | { type: "ending"; message: string };

/** The input of a child that runs one script, written as one line. */
export interface HostedScript {
  /** The `file:` URL of the script. */
  url: string;
  args: string[];
  permissions: WorkerPermissions;
}

/** The input of a child that checks an answer, written as one line. */
export interface CheckedAnswer {
  schema: JsonSchema;
  answer: JsonValue;
}

/** The input of a child that checks the arguments of a call, written as one line. */
export interface CheckedArguments {
  tool: string;
  schema: JsonSchema;
  args: JsonObject;
}

/**
 * A line of JSON from a child that reads a PDF file. The first is the number of pages, then each page's text follows, then
 * the end. `end` is empty if the text is complete, else the reason that the rest is missing, as a clause.
 */
export type PdfLine = number | string | { end: string };

/**
 * The environment variable that makes Inkling's program a host process instead of a command line. Its value is a HostRole.
 */
export const HOST_VARIABLE = "INKLING_HOST";

/**
 * The kinds of host process: it runs custom tools, runs one script of a skill, checks arguments or an answer, or reads a
 * PDF file given in Base64.
 */
export type HostRole = "tools" | "script" | "check" | "pdf";
