// The schema of an entry of mcp-servers.json, and its definition after filling in variables.
import { z } from "zod";
import { matchesPattern } from "../../../vocabulary/tool_vocabulary.ts";
import { filledText } from "../../../config/fields.ts";
import { declaredSandbox, type ServerSandbox } from "./declared_sandbox.ts";
import { parseDuration } from "../../../../base/durations.ts";
import type { Secret } from "../../../secrets/secret.ts";

const LONGEST_TIMEOUT_MS = 60 * 60_000;

/**
 * The time limit of a call, converted to milliseconds. Some clients write seconds, others milliseconds, so a number below
 * 1000 counts as seconds. The limit is between a second and an hour.
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

/** The fields of every entry. */
const shared = {
  /** Patterns of the tools that agents get. Absent: all. */
  tools: z.strictObject({ include: patterns.optional(), exclude: patterns.optional() }).optional(),
  /** A field of other clients. */
  disabled: z.boolean().default(false),
  timeout: timeout.optional(),
};

/** A server that is a program on this machine, connected by its standard input and output. */
export const declaredProgram = z.object({
  ...shared,
  type: z.literal("stdio").optional(),
  command: filledText,
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  /** Relative to the workspace. Absent: a folder of the server's own, see server_folder.ts. */
  cwd: filledText.optional(),
  sandbox: declaredSandbox.optional(),
});

/** A server at a URL, connected by streamable HTTP. */
export const declaredEndpoint = z.object({
  ...shared,
  type: z.enum(["http", "streamable-http", "streamableHttp"]).optional(),
  url: filledText,
  headers: z.record(z.string(), z.string()).default({}),
});

/** An entry as written, with unresolved variables such as `${NAME}`. */
export type DeclaredServer =
  | { kind: "program"; declared: z.output<typeof declaredProgram> }
  | { kind: "endpoint"; declared: z.output<typeof declaredEndpoint> };

/** The selection of a server's tools for agents. */
export interface ToolChoice {
  /** Absent: all. */
  include?: readonly string[];
  exclude: readonly string[];
}

/** Returns an entry's selection of tools, or undefined for all. */
export function toToolChoice({ declared }: DeclaredServer): ToolChoice | undefined {
  const { include, exclude = [] } = declared.tools ?? {};
  if (include === undefined && exclude.length === 0) return undefined;
  return { ...(include && { include }), exclude };
}

/** Returns true if an agent gets a tool, by its server's entry and by the agent's own patterns. */
export function isChosen(
  tool: string,
  { include, exclude }: ToolChoice = { exclude: [] },
  own: readonly string[] = ["*"],
): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((one) => matchesPattern(tool, one));
  return (include === undefined || isIn(include)) && !isIn(exclude) && isIn(own);
}

/** A program to start. */
export interface ServerProgram {
  kind: "program";
  command: string;
  args: string[];
  /** The program's whole environment. */
  env: Record<string, string>;
  /** Absolute. */
  cwd: string;
  /** True if `cwd` is the server's own folder, which is created if missing. */
  startsInOwnFolder: boolean;
  /** Absolute. The folder for data that the program stores. */
  ownFolder: string;
  /** Null if the entry opts out of the sandbox. */
  sandbox: ServerSandbox | null;
  /** The absolute path of the workspace. Relative paths in the entry may refer to it. */
  workspace: string;
}

/** The URL of a remote server. */
export interface ServerEndpoint {
  kind: "endpoint";
  /** http or https, without user and password. */
  url: string;
  headers: Record<string, string>;
}

/** A server that is ready to connect to. */
export type ServerDefinition = (ServerProgram | ServerEndpoint) & {
  /** The time limit of a call in milliseconds, if the entry sets one. */
  timeoutMs?: number;
  /** The selection of tools, if the entry has one. */
  tools?: ToolChoice;
  /** Values that no message may show; longest first. */
  secrets: readonly Secret[];
};

/** Describes a missing program as the end of a sentence. The command may contain secrets. */
export function describeMissingCommand(
  { command, cwd }: { command: string; cwd: string },
): string {
  const where = command.includes("/")
    ? `looked for from ${cwd}`
    : `looked for in PATH, from ${cwd}`;
  return `its command ${command} does not exist (${where})`;
}
