// Starts other processes, sends them signals, and checks whether they run. Node's modules are imported when they are used,
// because they load slowly and most commands do not need them.
import { errorCode } from "../../base/error_code.ts";
import { isInstalled } from "../../base/files/installed_program.ts";
import { type Command, runToEnd, startDetached } from "../../base/programs/system_program.ts";

/** A child process in its own session, so it continues when this process ends. */
export interface DetachedProcess {
  readonly pid: number;
  /** Undefined while the process runs. Afterwards its exit code, or null if a signal ended it. */
  readonly ended: { code: number | null } | undefined;
}

/** Functions for processes of the operating system. */
export interface Processes {
  /** Returns whether a process runs. Returns false for a zombie, and true for a process of another user. */
  isAlive(pid: number): Promise<boolean>;
  /** Sends a signal to a process. Does nothing if the process has ended. Throws if the user may not signal the process. */
  signal(pid: number, name: "SIGTERM" | "SIGKILL"): Promise<void>;
  /**
   * Starts a command in its own session with the working directory `/`. Appends its output to the log file, which is
   * created with mode 600.
   */
  spawnDetached(
    command: readonly string[],
    options: { logFile: string; environment: Readonly<Record<string, string>> },
  ): Promise<DetachedProcess>;
}

/** The shell line that starts a program whose output is appended to the file `$0`. */
const LOG_TO_FILE = 'exec "$@" >>"$0" 2>&1';

/** The implementation of Processes for this machine. */
export const systemProcesses: Processes = {
  async isAlive(pid) {
    if (!await exists(pid) || await isZombie(pid)) return false;
    // The process may have ended during the zombie check.
    return await exists(pid);
  },

  async signal(pid, name) {
    const { default: process } = await import("node:process");
    try {
      process.kill(pid, name);
    } catch (error) {
      if (errorCode(error) !== "ESRCH") throw error;
    }
  },

  async spawnDetached([program, ...args], { logFile, environment }) {
    if (program === undefined) throw new TypeError("spawnDetached() without a program");
    if (!isInstalled(program, { path: environment["PATH"], cwd: "/" })) {
      throw new Deno.errors.NotFound(`${program} is not installed`);
    }
    (await Deno.open(logFile, { create: true, append: true, mode: 0o600 })).close();
    // A shell opens the log: Deno would pass a descriptor of this process twice, and the second one would stay open in all
    // programs that the child starts, also in the sandbox. Node's spawn() would add Deno's flags to the shell's arguments.
    const child = startDetached(["/bin/sh", "-c", LOG_TO_FILE, logFile, program, ...args], {
      cwd: "/",
      environment,
    });
    let ended: DetachedProcess["ended"];
    child.status.then(({ code, signal }) => ended = { code: signal === null ? code : null });
    child.unref();
    return {
      pid: child.pid,
      get ended() {
        return ended;
      },
    };
  },
};

/** Returns whether a process has this PID. A zombie still has its PID. */
async function exists(pid: number): Promise<boolean> {
  const { default: process } = await import("node:process");
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ESRCH") return false;
    if (code === "EPERM") return true;
    throw error;
  }
}

/**
 * Returns whether a process has ended but keeps its PID until its parent reads the exit code. Returns false if the state of
 * the process cannot be determined.
 */
async function isZombie(pid: number): Promise<boolean> {
  // `cat` reads the file in /proc, because Deno itself would need --allow-all to read it.
  const command: Command = Deno.build.os === "linux"
    ? ["cat", `/proc/${pid}/stat`]
    : ["ps", "-o", "stat=", "-p", String(pid)];
  let text: string;
  try {
    text = new TextDecoder().decode((await runToEnd(command)).stdout);
  } catch {
    // `cat` or `ps` is missing, or this process may not run it.
    return false;
  }
  // The file in /proc contains `pid (name) state …`. The name may contain brackets, so the state follows the last one.
  return /^\s*Z/.test(text.slice(text.lastIndexOf(")") + 1));
}
