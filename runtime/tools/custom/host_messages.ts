// Declares the messages between the service and the child process that hosts a tool: one JSON object per line. The file
// contains few values, because the child loads it.
import type { JsonObject, JsonSchema, JsonValue } from "../../../base/json.ts";
import type { ToolQuestion } from "../definition/tool.ts";

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

/** A file of custom tools. */
export interface ToolFile {
  /** The file's name without extension, as written in an agent's `tools`. It is the name of a default export. */
  module: string;
  /** The real path of the file, and the URL with that path. */
  path: string;
  url: string;
  /**
   * True if no permission check and no sandbox limits the imports of the file, so that closeLoader() must be called before
   * it is loaded. Applies to an executable without a sandbox.
   */
  isLoaderOpen: boolean;
}

/** The work of a child that hosts tools: the description of a file, or a call. A child does one piece of work. */
export type HostWork =
  | { type: "describe"; file: ToolFile; permissions: WorkerPermissions }
  | {
    type: "call";
    file: ToolFile;
    tool: string;
    args: JsonObject;
    surroundings: CallFacts;
    permissions: WorkerPermissions;
  };

/** The first message to a child that hosts tools. The child begins each of its messages with `mark`. */
export interface HostTask {
  mark: string;
  work: HostWork;
}

/** A further message from the service to the child, which passes it on to the worker. */
export type ToHost = HostReply | { type: "abort" };

/** The answer to a tool's request: a value, or the message of an error. */
export type HostReply = { type: "reply"; id: number; value: unknown } | {
  type: "reply";
  id: number;
  error: string;
};

/** A request of a running tool to the service: to resolve a path, or to ask a person. */
export type ToolRequest =
  | { kind: "path"; text: string; access: "read" | "write" }
  | Omit<ToolQuestion, "answersBefore">;

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
  /** The first message. */
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
