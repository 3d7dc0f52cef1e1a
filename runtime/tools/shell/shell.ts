// The tool shell: runs a command line in the sandbox of the agent's programs.
import { realpath, stat } from "node:fs/promises";
import { z } from "zod";
import type { Agent } from "../../agents/agent.ts";
import { openPaths } from "../../agents/agent_paths.ts";
import {
  type CommandPattern,
  findDenied,
  isAllowed,
  toPatterns,
} from "../../agents/approval/command_patterns.ts";
import { limitsHosts, type ShellSettings } from "../../agents/approval/shell_settings.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { formatDuration } from "../../../base/durations.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import { isInstalled } from "../../../base/files/installed_program.ts";
import { join } from "../../../base/plain_path.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import { NO_BRIDGE } from "../../sandbox/sandbox_support.ts";
import { defineTool } from "../definition/define_tool.ts";
import type { ActionTool, CallApproval, ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { ForwardProxy, ProxyGrant } from "../http/forward_proxy.ts";
import { agentRules, confineProgram, workingFolder } from "../processes/confined_program.ts";
import { type ProgramEnd, runProgram } from "../processes/run_program.ts";
import { CommandOutput } from "./command_output.ts";

const MAX_COMMAND_CHARACTERS = 20_000;
/** The time after a command's own limit in which its processes are ended, in milliseconds. */
const GRACE_MS = 15_000;
/** The maximum size of error messages of the sandbox itself, in bytes. */
const MAX_ERROR_BYTES = 4 * 1024;
/** The maximum size of a result in bytes: 30,000 characters of three bytes, and the lines around them. */
const MAX_RESULT_BYTES = 100 * 1024;
/** The shortest time between two reports of new output, in milliseconds. */
const REPORT_MS = 1_000;

/** The variables that keep programs from waiting for a terminal. */
const NO_TERMINAL = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/** The options of createShell(). */
export interface ShellOptions {
  sandbox: ProcessSandbox;
  /** The variables that commands get from the service, such as PATH. They contain no keys. */
  environment: Readonly<Record<string, string>>;
  /** Returns the value of a variable in `shell.env`. Undefined for an unset variable and for a key. */
  lookup: (name: string) => string | undefined;
  /** Opens the proxy through which commands reach the hosts of `shell.net`. */
  openProxy(): Promise<ForwardProxy>;
  /** The absolute path of the workspace. */
  workspace: string;
  stateDir: string;
  /** True if no program may be started, so that the system's sandbox is assumed to exist. */
  offline?: boolean;
}

type Shell = ShellOptions & { agent: Agent; settings: ShellSettings };

/** Creates the shell of an agent. Returns undefined if config.yaml requires a sandbox that is missing. */
export async function createShell(
  agent: Agent & { shell: ShellSettings },
  options: ShellOptions,
): Promise<ActionTool | undefined> {
  const { shell: settings } = agent;
  const shell: Shell = { ...options, agent, settings };
  const gap = options.offline ? undefined : await findGap(shell);
  if (gap !== undefined && options.sandbox.isRequired) return undefined;
  const deny = toPatterns(settings.deny);
  const longestSeconds = settings.timeoutMs / 1_000;
  return defineTool({
    name: "shell",
    description:
      "Runs a command line in a shell, without terminal and input. Returns exit code and output, of long output the beginning and the end.",
    schema: z.object({
      command: z.string().min(1).max(MAX_COMMAND_CHARACTERS)
        .superRefine((command, context) => {
          const message = describeRefusal(command, deny);
          if (message !== undefined) context.addIssue({ code: "custom", message });
        }),
      folder: z.string().optional().describe("Default: the workspace"),
      timeout: z.number().positive().max(longestSeconds).optional().describe("Seconds"),
    }),
    effect: "unsafe",
    worksOn: "files",
    timeoutMs: settings.timeoutMs + GRACE_MS,
    maxResultBytes: MAX_RESULT_BYTES,
    approval: approvalOf(shell, gap),
    run: async ({ command, folder, timeout }, context) => {
      const cwd = await folderOf(folder, context);
      const { text, exitCode } = await runCommand(command, {
        shell,
        cwd,
        context,
        timeoutMs: timeout === undefined ? settings.timeoutMs : timeout * 1_000,
      });
      if (exitCode !== 0) throw new ToolFailure(text);
      return text;
    },
  });
}

/**
 * Returns the reason why commands would run with more access than the agent's file gives them, as a clause. Undefined if
 * they run in the sandbox, or if config.yaml switches it off.
 */
async function findGap({ sandbox, settings }: Shell): Promise<string | undefined> {
  if (!sandbox.isWanted) return undefined;
  const support = await sandbox.support();
  if ("problem" in support) return support.problem;
  return limitsHosts(settings) && support.bubblewrap.bridge === undefined
    ? NO_BRIDGE.problem
    : undefined;
}

function describeRefusal(command: string, deny: readonly CommandPattern[]): string | undefined {
  if (command.includes("\0")) return "contains a NUL character, which no program accepts";
  const denied = findDenied(command, deny);
  return denied && `contains ${JSON.stringify(denied.text)}, which the agent's file denies`;
}

function approvalOf(
  { agent: { autoApprove, ...agent }, settings, sandbox, workspace }: Shell,
  gap: string | undefined,
): CallApproval {
  const allow = toPatterns(settings.allow);
  const isExempt = gap === undefined && (autoApprove === "*" || autoApprove.includes("shell"));
  const places = openPaths(agent, workspace);
  const start = places.some((path) => isBelow(workspace, path)) ? "the workspace" : places[0];
  const hosts = settings.net.length === 0
    ? "no host"
    : settings.net.includes("*")
    ? "every host"
    : settings.net.join(", ");
  const access = gap !== undefined
    ? `It runs without the sandbox, with your own rights: ${gap}.`
    : sandbox.isWanted
    ? `It may write ${places.join(", ") || "nowhere"} and reach ${hosts}.`
    : "It runs with your own rights, because config.yaml switches the sandbox off.";
  return {
    mayAsk: !isExempt,
    asks: ({ command }) => !isExempt && (gap !== undefined || !isAllowed(String(command), allow)),
    question: ({ folder }) => `Allow shell in ${folder ?? start}? ${access}`,
  };
}

/** Returns the working folder: the given one, or the workspace, or else the agent's first writable folder. */
async function folderOf(
  folder: string | undefined,
  { sandbox }: ToolContext,
): Promise<string> {
  if (folder === undefined) {
    const first = await workingFolder(sandbox);
    return sandbox.isReadable(await realpath(sandbox.workspace)) ? sandbox.workspace : first;
  }
  const { path, exists } = await sandbox.resolve(folder, "read");
  if (exists && (await stat(path)).isDirectory()) return path;
  throw new ToolFailure(`Cannot run a command in ${JSON.stringify(folder)}: it is no folder.`);
}

/** Runs a command. Returns its exit code, and the text about its end with its output. */
async function runCommand(
  command: string,
  { shell, cwd, context, timeoutMs }: {
    shell: Shell;
    cwd: string;
    context: ToolContext;
    timeoutMs: number;
  },
): Promise<{ text: string; exitCode: number | null }> {
  const { settings, sandbox, agent, stateDir } = shell;
  const { clock, signal, redactor } = context;
  const environment: Record<string, string> = {
    ...shell.environment,
    ...NO_TERMINAL,
    ...Object.fromEntries(settings.env.flatMap((name) => {
      const value = shell.lookup(name);
      return value === undefined ? [] : [[name, value]];
    })),
  };
  const refused = new Set<string>();
  const proxy = limitsHosts(settings) && sandbox.isWanted ? await shell.openProxy() : undefined;
  let grant: ProxyGrant | undefined;
  const over = new AbortController();
  const output = new CommandOutput(redactor);
  const begun = clock.now();
  let reporting: Promise<void> | undefined;
  try {
    const home = join(stateDir, "shell", agent.id);
    if (await sandbox.isAvailable()) await Deno.mkdir(home, { recursive: true, mode: 0o700 });
    const bash = isInstalled("bash", { path: environment["PATH"], cwd }) ? "bash" : "sh";
    const confined = await confineProgram(sandbox, {
      program: "sh",
      // Both streams are one, so that their order stays.
      args: ["-c", 'exec 2>&1; exec "$@"', "inkling-shell", bash, "-c", "--", command],
      cwd,
      environment,
    }, {
      ...await agentRules(context.sandbox),
      home,
      net: proxy === undefined
        ? settings.net.length > 0 ? "host" : "none"
        : () => (grant = proxy.admit(settings.net, (host) => refused.add(host))).route,
    });
    reporting = reportOutput(output, context, over.signal);
    const end = await runProgram(confined.program, {
      ...confined,
      timeoutMs,
      maxOutputBytes: MAX_ERROR_BYTES,
      onOutput: (text) => output.push(text),
      signal,
      clock,
      redactor,
    });
    const isWhole = end.exitCode !== null && !end.isTorn;
    const shown = [
      describeEnd(end, { ms: clock.now() - begun, timeoutMs }),
      ...[output.end({ isWhole }), redactor.redact(end.stderr)].map((one) => one.trimEnd()),
      ...(refused.size === 0
        ? []
        : [`(Not in shell.net of the agent's file: ${[...refused].join(", ")})`]),
    ];
    return { text: shown.filter((one) => one !== "").join("\n"), exitCode: end.exitCode };
  } finally {
    over.abort();
    grant?.close();
    await reporting;
  }
}

function describeEnd(
  end: ProgramEnd,
  { ms, timeoutMs }: { ms: number; timeoutMs: number },
): string {
  if (end.timedOut) {
    return `The command took longer than ${
      formatDuration(timeoutMs)
    } and was ended, with all its processes. ` +
      "It had no terminal and no input.";
  }
  const duration = formatDuration(ms);
  if (end.exitCode === null) return `A signal ended the command after ${duration}.`;
  return `Exit code ${end.exitCode} after ${duration}.`;
}

/** Reports new output until the signal aborts: every second at first, then less often. */
async function reportOutput(
  output: CommandOutput,
  { clock, report }: ToolContext,
  signal: AbortSignal,
): Promise<void> {
  const begun = clock.now();
  while (await sleepUnlessAborted(clock, Math.max(REPORT_MS, (clock.now() - begun) / 4), signal)) {
    const news = output.takeNews();
    if (news !== undefined) await report(news);
  }
}

/** Returns the output in the result of a successful call, without the line about its end. */
export function outputOf(result: string): string {
  return result.slice(result.indexOf("\n") + 1 || result.length);
}
