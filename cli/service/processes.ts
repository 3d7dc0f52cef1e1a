// Other processes: whether one lives, sending it a signal, starting one that outlives this one. Most commands need none
// of it, and Node's modules are slow to load: each is loaded where it is used.
import { errorCode } from "../../base/error_code.ts";

/** A child in a session of its own. */
export interface DetachedProcess {
  readonly pid: number;
  /** Set once it has ended: its exit code, or null when a signal ended it. */
  readonly ended: { code: number | null } | undefined;
}

/** The operating system's processes, as far as the command line needs them. */
export interface Processes {
  /** False for a process that is gone or a zombie; true for one that belongs to somebody else. */
  isAlive(pid: number): Promise<boolean>;
  /** Sends the signal. A process that is gone by then is no error; one that may not be signalled is. */
  signal(pid: number, name: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Starts a command in `/`, in a session of its own, its output appended to the log file (mode 600). */
  spawnDetached(
    command: readonly string[],
    options: { logFile: string; environment: Readonly<Record<string, string>> },
  ): Promise<DetachedProcess>;
}

/** The processes of this machine. */
export const systemProcesses: Processes = {
  async isAlive(pid) {
    if (!await exists(pid) || await isZombie(pid)) return false;
    // It may have gone for good while it was looked at.
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
    const { spawn } = await import("node:child_process");
    const { closeSync, openSync } = await import("node:fs");
    const log = openSync(logFile, "a", 0o600);
    try {
      const child = spawn(program, args, {
        detached: true,
        stdio: ["ignore", log, log],
        cwd: "/",
        env: environment,
      });
      let ended: DetachedProcess["ended"];
      child.on("exit", (code) => ended = { code });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      child.on("spawn", resolve);
      child.on("error", reject);
      await promise;
      child.unref();
      const { pid } = child;
      if (pid === undefined) throw new TypeError("A child that was spawned has no PID");
      return {
        pid,
        get ended() {
          return ended;
        },
      };
    } finally {
      closeSync(log);
    }
  },
};

/** Whether anything has this PID, be it a process that has ended and was not collected. */
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
 * Whether a process has ended and only its parent has not noticed: it still has a PID, but it will never do anything
 * again. Where that cannot be found out it counts as alive.
 */
async function isZombie(pid: number): Promise<boolean> {
  // Another program looks, because reading /proc takes every permission there is.
  const [program, args] = Deno.build.os === "linux"
    ? ["cat", [`/proc/${pid}/stat`]] as const
    : ["ps", ["-o", "stat=", "-p", String(pid)]] as const;
  let text: string;
  try {
    const { stdout } = await new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).output();
    text = new TextDecoder().decode(stdout);
  } catch {
    // No such program, or it may not be started: see above.
    return false;
  }
  // Linux: `pid (name) state …`, and the name may hold anything, so the state is what follows its last bracket.
  return /^\s*Z/.test(text.slice(text.lastIndexOf(")") + 1));
}
