// Declares the schema of an entry of mcp-servers.json, and its definition after variables were filled in.
import { z } from "zod";
import { matchesPattern } from "../../../vocabulary/tool_vocabulary.ts";
import { filledText } from "../../../config/fields.ts";
import { declaredOAuth, type ServerOAuth } from "./declared_oauth.ts";
import { declaredSandbox, type ServerSandbox } from "./declared_sandbox.ts";
import { parseDuration } from "../../../../base/durations.ts";
import type { Secret } from "../../../secrets/secret.ts";

const LONGEST_TIMEOUT_MS = 60 * 60_000;

/**
 * The schema of the time limit of a call, which is converted to milliseconds. It must be between one second and one hour. A
 * number below 1000 counts as seconds, because some MCP clients write seconds and others milliseconds.
 */
const timeout = z.union([z.string(), z.number()]).transform((value, context) => {
  const ms = typeof value === "string"
    ? parseDuration(value)
    : value < 1_000
    ? value * 1_000
    : value;
  if (ms !== undefined && ms >= 1_000 && ms <= LONGEST_TIMEOUT_MS) return ms;
  const message = "must be a duration such as 90s, one hour at most; a number counts seconds " +
    "below 1000, else milliseconds";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const patterns = z.array(filledText);

/** The fields that all entries may have. */
const shared = {
  tools: z.strictObject({ include: patterns.optional(), exclude: patterns.optional() }).optional()
    .meta({ description: "The patterns of the tools that agents get", default: "all tools" }),
  disabled: z.boolean().default(false).meta({
    description: "`true`: the server is not used, and an agent that names it fails",
  }),
  timeout: timeout.optional().meta({
    description:
      "The time for a call: a duration, or a number of seconds (from 1000: milliseconds)",
    default: "60s",
  }),
  auto_approve: patterns.optional().meta({
    description: "The patterns of the tools that need no approval; all other tools then need one",
  }),
};

/** The schema of an entry for a program on this machine, which communicates over standard input and output. */
export const declaredProgram = z.object({
  ...shared,
  type: z.literal("stdio").optional(),
  command: filledText.meta({ description: "The program of a server on this machine" }),
  args: z.array(z.string()).default([]).meta({
    description: "The program's arguments; `${NAME}` is a variable",
  }),
  env: z.record(z.string(), z.string()).default({}).meta({
    description: "The program's environment variables; it gets no others of the service",
  }),
  // Without it, the folder is serverFolder().
  cwd: filledText.optional().meta({
    description: "The working folder, relative to the workspace",
    default: "an empty folder of the server",
  }),
  sandbox: declaredSandbox.optional().meta({
    description: "The access of the program in its sandbox; `false`: no sandbox",
  }),
});

/**
 * The schema of an entry for a server at a URL, which communicates over streamable HTTP, or over the older transport with
 * `sse`.
 */
export const declaredEndpoint = z.object({
  ...shared,
  type: z.enum(["http", "streamable-http", "streamableHttp", "sse"]).optional(),
  url: filledText.meta({ description: "The address of a remote server" }),
  headers: z.record(z.string(), z.string()).default({}).meta({
    description: "The headers of every request; `${NAME}` is a variable",
  }),
  oauth: declaredOAuth.optional().meta({
    description: "The client of the OAuth sign-in; not needed where clients register themselves",
  }),
});

/** Returns true if an entry's headers contain the authorization, so that the server needs no sign-in. */
export function hasAuthorization({ headers }: { headers: Record<string, string> }): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** A valid entry whose variables, such as `${NAME}`, are not filled in. */
export type DeclaredServer =
  | { kind: "program"; declared: z.output<typeof declaredProgram> }
  | { kind: "endpoint"; declared: z.output<typeof declaredEndpoint> };

/** The patterns that select which of a server's tools agents get. Without `include`, all tools are selected. */
export type ToolChoice = NonNullable<DeclaredServer["declared"]["tools"]>;

/** Returns true if both the server's entry and the agent's own patterns select a tool. */
export function isChosen(
  tool: string,
  { include, exclude = [] }: ToolChoice = {},
  own: readonly string[] = ["*"],
): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((one) => matchesPattern(tool, one));
  return (include === undefined || isIn(include)) && !isIn(exclude) && isIn(own);
}

/** A program to start as an MCP server. */
export interface ServerProgram {
  kind: "program";
  command: string;
  args: string[];
  /** The program's environment variables. It inherits no others. */
  env: Record<string, string>;
  /** The absolute path of the working folder. */
  cwd: string;
  /** True if `cwd` is the server's own folder, which is created if it does not exist. */
  startsInOwnFolder: boolean;
  /** The absolute path of the folder for data that the program stores. */
  ownFolder: string;
  /** The access that the sandbox allows. Null if the entry disables the sandbox. */
  sandbox: ServerSandbox | null;
  /** The absolute path of the workspace, to detect paths of it in the arguments. */
  workspace: string;
}

/** A remote MCP server. */
export interface ServerEndpoint {
  kind: "endpoint";
  /** An http or https URL without user and password. */
  url: string;
  headers: Record<string, string>;
  /** Set if the server supports only the older transport. Undefined: the session finds out. */
  transport?: "sse";
  /** The sign-in. Undefined if the headers contain the authorization. */
  oauth?: ServerOAuth;
}

/** An MCP server with all values filled in and validated. */
export type ServerDefinition = (ServerProgram | ServerEndpoint) & {
  /** The time limit of a call in milliseconds. Undefined if the entry sets none. */
  timeoutMs?: number;
  /** The patterns that select tools. Undefined if the entry selects all. */
  tools?: ToolChoice;
  /** The patterns of the tools that need no approval. Undefined if `defaults.mcp_confirm` decides. */
  autoApprove?: readonly string[];
  /** The values that no message may contain, longest first. */
  secrets: readonly Secret[];
};

/** Returns a clause that says that the server's command does not exist. It may contain secrets. */
export function describeMissingCommand(
  { command, cwd }: { command: string; cwd: string },
): string {
  const where = command.includes("/")
    ? `looked for from ${cwd}`
    : `looked for in PATH, from ${cwd}`;
  return `its command ${command} does not exist (${where})`;
}
