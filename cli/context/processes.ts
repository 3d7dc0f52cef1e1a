// Checks, signals and starts other processes. Node's modules are loaded on first use, because they are slow to load and
// most commands do not need them.
import { errorCode } from "../../base/error_code.ts";

/** A child process in its own session. */
export interface DetachedProcess {
  readonly pid: number;
  /** Set once it has ended: its exit code, or null when a signal ended it. */
  readonly ended: { code: number | null } | undefined;
}

/** The processes of the operating system. */
export interface Processes {
  /** Returns false for a process that has ended or is a zombie, and true for another user's process. */
  isAlive(pid: number): Promise<boolean>;
  /** Sends a signal. Ignores a process that has ended; throws if the signal is not permitted. */
  signal(pid: number, name: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Starts a command in `/`, in its own session, and appends its output to the log file (mode 600). */
  spawnDetached(
    command: readonly string[],
    options: { logFile: string; environment: Readonly<Record<string, string>> },
  ): Promise<DetachedProcess>;
}

/** The processes of this machine. */
export const systemProcesses: Processes = {
  async isAlive(pid) {
    if (!await exists(pid) || await isZombie(pid)) return false;
    // The process may have ended during the check.
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

/** Returns whether a process has this PID; zombies count. */
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

/** Returns whether a process has ended but still has its PID. Returns false if that cannot be determined. */
async function isZombie(pid: number): Promise<boolean> {
  // Another program reads /proc, because Deno would need all permissions for that.
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
    // The program is missing or may not start.
    return false;
  }
  // Linux: `pid (name) state …`. The name may contain anything, so the state follows the last bracket.
  return /^\s*Z/.test(text.slice(text.lastIndexOf(")") + 1));
}
