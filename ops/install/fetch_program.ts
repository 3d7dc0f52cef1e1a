// Runs git, npm, pip and tar to download skills and MCP servers. Each program gets an argument list and no shell.
import type { Clock } from "../../base/clock.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import { CERTIFICATE_VARIABLES } from "../../runtime/sandbox/certificates.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import { runProgram } from "../../runtime/tools/processes/run_program.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";
import { NotInstalled } from "./not_installed.ts";

const TIMEOUT_MS = 5 * 60_000;
const MAX_OUTPUT_BYTES = 4 * 1_024 * 1_024;
const FAILURE_CHARACTERS = 500;

/**
 * The environment variables that the programs get: those for the network and for the person's own credentials, and none of
 * Inkling's keys.
 */
const INHERITED = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSH_AUTH_SOCK"],
  ...CERTIFICATE_VARIABLES,
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["npm_config_registry", "npm_config_userconfig"],
  ...["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT", "PIP_CONFIG_FILE"],
];

/** The environment, clock, abort signal and folder of a download. */
export interface FetchContext {
  shell: Readonly<Record<string, string>>;
  clock: Clock;
  signal: AbortSignal;
  /** The folder that receives every downloaded file. It is empty before the first program runs. */
  staging: string;
}

/**
 * Runs a program and returns its output. Throws NotInstalled with the program's error output, or rethrows the
 * signal's reason.
 */
export async function runFetch(
  program: "git" | "npm" | "python3" | "tar",
  args: readonly string[],
  { shell, clock, signal, staging }: FetchContext,
): Promise<string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = shell[name];
    return value === undefined ? [] : [[name, value]];
  });
  try {
    const end = await runProgram(program, {
      args,
      cwd: staging,
      environment: { ...Object.fromEntries(inherited), ...QUIET },
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal,
      clock,
      redactor: new Redactor(() => []),
    });
    if (end.exitCode === 0 && !end.cut) return end.stdout;
    const said = toPlainLine(end.stderr.trim() || end.stdout.trim(), FAILURE_CHARACTERS);
    const reason = end.timedOut ? "it took over five minutes" : said || "it failed";
    throw new NotInstalled(`${program} could not download it: ${reason}`);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new NotInstalled(`${program} cannot be started: ${error.message}`, { cause: error });
  }
}

/** The environment variables that disable prompts, and restrict git to https, ssh and file. */
const QUIET = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_ALLOW_PROTOCOL: "https:ssh:file",
  GIT_LFS_SKIP_SMUDGE: "1",
};

/** Returns the npm flags that disable a package's scripts and keep all files in the staging folder. */
export function npmFlags(staging: string): string[] {
  return [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--logs-max=0",
    "--loglevel=error",
    `--cache=${staging}/cache`,
    `--prefix=${staging}`,
  ];
}
