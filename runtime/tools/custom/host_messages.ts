// The messages between the service and the child process that hosts a tool: one JSON object per line. Mostly types, because
// the child loads only modules that it needs.
import type { JsonObject, JsonSchema, JsonValue } from "../../../base/json.ts";

/** The permissions of the worker that runs a tool or script. All paths are absolute. */
export interface WorkerPermissions {
  read: string[];
  write: string[];
  net: string[];
  env: string[];
}

/** The facts about a call that the child passes to the tool. */
export interface CallFacts {
  agentId: string;
  executionId: number;
  workspace: string;
  paths: Record<string, string>;
}

/** A tool file to load: its `file:` URL, and its name without extension, which names a default export. */
export interface ToolModule {
  url: string;
  stem: string;
  /** See closeLoader(). */
  closesLoader: boolean;
}

/**
 * A message from the service to the child. `hello` comes first, once. Work has an id: it is sent until the child confirms
 * it, and is done once.
 */
export type ToHost =
  /**
   * Every genuine line of the child begins with `mark`, which no tool can know. `keeps` lists the kinds of permission that
   * some tool of it gets.
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

/** The work of a child. */
export type HostWork = Extract<ToHost, { type: "describe" | "call" }>;

/** The answer to a tool's request: its value, or the sentence of an error. */
export type HostReply = { type: "reply"; id: number; value: unknown } | {
  type: "reply";
  id: number;
  error: string;
};

/** A running tool's request to the service. */
export type ToolRequest =
  | { kind: "path"; text: string; access: "read" | "write" }
  | { kind: "confirm"; message: string }
  | { kind: "ask"; message: string }
  | { kind: "choose"; message: string; options: string[]; multi: boolean };

/** A message from the worker, through the child, to the service. `described`, `done` and `failed` end a piece of work. */
export type FromWorker =
  /** JSON text of a file's tool declarations: an array of objects, unchecked. */
  | { type: "described"; tools: string }
  | { type: "done"; result: string }
  /** `place` is the fault's place in a file that cannot be loaded: `lib/a.ts:3:27`, relative to the tools folder. */
  | { type: "failed"; message: string; stack: string; place?: string }
  | { type: "log"; text: string }
  | { type: "request"; id: number; request: ToolRequest };

/** A message from the child to the service. */
export type FromHost =
  | FromWorker
  | { type: "pong" }
  | { type: "started" }
  /** The child exits for this reason. */
  | { type: "ending"; message: string };

/** The input of a host that runs one script, as one line. */
export interface HostedScript {
  /** Its `file:` URL. */
  url: string;
  args: string[];
  permissions: WorkerPermissions;
}

/** The input of a host that checks an answer, as one line. */
export interface CheckedAnswer {
  schema: JsonSchema;
  answer: JsonValue;
}

/** The input of a host that checks arguments, as one line. */
export interface CheckedArguments {
  tool: string;
  schema: JsonSchema;
  args: JsonObject;
}

/**
 * One JSON line from a host that reads a PDF file: first the number of pages, then the text of each page, last the end.
 * `end` is empty for a complete text, else it is the reason for the missing rest, as the end of a sentence.
 */
export type PdfLine = number | string | { end: string };

/** The variable that makes Inkling a host instead of a command line. */
export const HOST_VARIABLE = "INKLING_HOST";

/**
 * The kinds of host: custom tools, one script of a skill, the check of one call's arguments or of an answer, or the reading
 * of a PDF file given in Base64.
 */
export type HostRole = "tools" | "script" | "check" | "pdf";
