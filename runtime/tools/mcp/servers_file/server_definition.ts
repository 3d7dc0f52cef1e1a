// What an entry of mcp-servers.json may say, and what it comes to once its variables are filled in.
import { z } from "zod";
import { fitsPattern } from "../../../tool_vocabulary.ts";
import { filledText } from "../../../config/fields.ts";
import { declaredSandbox, type ServerSandbox } from "./declared_sandbox.ts";
import { parseDuration } from "../../../../base/durations.ts";
import type { Secret } from "../../../secrets/secret.ts";

const LONGEST_TIMEOUT_MS = 60 * 60_000;

/**
 * How long a call may take, to milliseconds. Some clients write seconds, others milliseconds: a number below 1000 is taken
 * for seconds. No call of a tool may take less than a second or more than an hour.
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

/** What every entry may say. */
const shared = {
  /** Patterns of the tools that agents get; absent: all. */
  tools: z.strictObject({ include: patterns.optional(), exclude: patterns.optional() }).optional(),
  /** As other clients write it. */
  disabled: z.boolean().default(false),
  timeout: timeout.optional(),
};

/** A server that is a program of this machine, spoken to over its standard input and output. */
export const declaredProgram = z.object({
  ...shared,
  type: z.literal("stdio").optional(),
  command: filledText,
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  /** Relative to the workspace; a folder of the server's own when absent: see server_folder.ts. */
  cwd: filledText.optional(),
  sandbox: declaredSandbox.optional(),
});

/** A server at a URL, spoken to over streamable HTTP. */
export const declaredEndpoint = z.object({
  ...shared,
  type: z.enum(["http", "streamable-http", "streamableHttp"]).optional(),
  url: filledText,
  headers: z.record(z.string(), z.string()).default({}),
});

/** An entry as it is written: variables still stand as `${NAME}`. */
export type DeclaredServer =
  | { kind: "program"; declared: z.output<typeof declaredProgram> }
  | { kind: "endpoint"; declared: z.output<typeof declaredEndpoint> };

/** Which tools agents get. */
export interface ToolChoice {
  /** Absent: all. */
  include?: readonly string[];
  exclude: readonly string[];
}

/** What an entry says of its tools; undefined: agents get all. */
export function toToolChoice({ declared }: DeclaredServer): ToolChoice | undefined {
  const { include, exclude = [] } = declared.tools ?? {};
  if (include === undefined && exclude.length === 0) return undefined;
  return { ...(include && { include }), exclude };
}

/** Whether an agent gets a tool: by the entry of its server, and by its own patterns, if it has any. */
export function isChosen(
  tool: string,
  { include, exclude }: ToolChoice = { exclude: [] },
  own: readonly string[] = ["*"],
): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((one) => fitsPattern(tool, one));
  return (include === undefined || isIn(include)) && !isIn(exclude) && isIn(own);
}

/** A program to start. */
export interface ServerProgram {
  kind: "program";
  command: string;
  args: string[];
  /** Everything the program's environment holds. */
  env: Record<string, string>;
  /** Absolute. */
  cwd: string;
  /** Whether that is the server's own folder, which is made where it is missing. */
  startsInOwnFolder: boolean;
  /** Absolute: where what it stores is kept. */
  ownFolder: string;
  /** Null: it runs without a sandbox, because its entry says so. */
  sandbox: ServerSandbox | null;
  /** Absolute; where a person may have meant relative paths to begin. */
  workspace: string;
}

/** An address to send to. */
export interface ServerEndpoint {
  kind: "endpoint";
  /** http or https, without user and password. */
  url: string;
  headers: Record<string, string>;
}

/** A server, ready to be spoken to. */
export type ServerDefinition = (ServerProgram | ServerEndpoint) & {
  /** How long a call may take, in milliseconds, where the entry says so. */
  timeoutMs?: number;
  /** Which tools agents get, where the entry says so. */
  tools?: ToolChoice;
  /** Values that no message may show; longest first. */
  secrets: readonly Secret[];
};

/** That a program is not there, as the end of a sentence; the command may hold secrets. */
export function describeMissingCommand(
  { command, cwd }: { command: string; cwd: string },
): string {
  const where = command.includes("/")
    ? `looked for from ${cwd}`
    : `looked for in PATH, from ${cwd}`;
  return `its command ${command} does not exist (${where})`;
}
