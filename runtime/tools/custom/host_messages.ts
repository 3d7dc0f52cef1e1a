// What the service and the child process that hosts a tool say to each other: a JSON object a line. Little but
// types, for the child loads nothing it does not need.
import type { JsonObject, JsonSchema, JsonValue } from "../../../base/json.ts";

/** What a tool or script may reach, as the worker that runs it is confined. All paths are absolute. */
export interface WorkerPermissions {
  read: string[];
  write: string[];
  net: string[];
  env: string[];
}

/** What the child tells the tool about the call. */
export interface CallSurroundings {
  agentId: string;
  executionId: number;
  workspace: string;
  paths: Record<string, string>;
}

/** A tool file as it is loaded: its `file:` URL, and its name without extension, which names a default export. */
export interface ToolModule {
  url: string;
  stem: string;
  /** See closeLoader(). */
  closesLoader: boolean;
}

/**
 * From the service to the child. `hello` comes first, once. Work has an id: it is said again until it is heard, and is
 * done once.
 */
export type ToHost =
  /**
   * Every line that the child really says begins with the mark, which no tool can know. `keeps` are the kinds of
   * permission that some tool of it gets.
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
    surroundings: CallSurroundings;
    permissions: WorkerPermissions;
  }
  | HostReply
  | { type: "abort" };

/** What a child is started for. */
export type HostWork = Extract<ToHost, { type: "describe" | "call" }>;

/** The answer to a tool's request: its value, or the sentence of an error. */
export type HostReply = { type: "reply"; id: number; value: unknown } | {
  type: "reply";
  id: number;
  error: string;
};

/** What a running tool wants of the service. */
export type ToolRequest =
  | { kind: "path"; text: string; access: "read" | "write" }
  | { kind: "confirm"; message: string }
  | { kind: "ask"; message: string }
  | { kind: "choose"; message: string; options: string[]; multi: boolean };

/** From the worker, through the child, to the service. `described`, `done` and `failed` end a piece of work. */
export type FromWorker =
  /** JSON text of what the tools of a file declare: an array of objects, unchecked. */
  | { type: "described"; tools: string }
  | { type: "done"; result: string }
  /** `place`, of a file that cannot be loaded: `lib/a.ts:3:27`, relative to the tools folder. */
  | { type: "failed"; message: string; stack: string; place?: string }
  | { type: "log"; text: string }
  | { type: "request"; id: number; request: ToolRequest };

/** From the child to the service. */
export type FromHost =
  | FromWorker
  | { type: "pong" }
  | { type: "started" }
  /** The child ends itself, for this reason. */
  | { type: "ending"; message: string };

/** What a host that runs one script reads from its standard input, as one line. */
export interface HostedScript {
  /** Its `file:` URL. */
  url: string;
  args: string[];
  permissions: WorkerPermissions;
}

/** An answer that is checked in a host, which reads it as one line, too. */
export interface CheckedAnswer {
  schema: JsonSchema;
  answer: JsonValue;
}

/** What a host that checks arguments reads from its standard input, as one line. */
export interface CheckedArguments {
  tool: string;
  schema: JsonSchema;
  args: JsonObject;
}

/**
 * One line of JSON from a host that reads a PDF file: first the number of pages, then the text of each page, last the end. `end` is
 * empty when the text is complete, else the reason why it is not, as the end of a sentence.
 */
export type PdfLine = number | string | { end: string };

/** The variable that makes Inkling a host instead of a command line, and its values. */
export const HOST_VARIABLE = "INKLING_HOST";

/**
 * A host of custom tools, or of one script of a skill; or the check of one call's arguments or of an answer; or the reading of
 * a PDF file, whose input is the file in base64.
 */
export type HostRole = "tools" | "script" | "check" | "pdf";
