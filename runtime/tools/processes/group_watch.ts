// Kills a process group when the service's process ends. A process that was ended by `kill -9` cannot kill its programs
// itself.
import { errorCode } from "../../../base/error_code.ts";

/**
 * The watcher's shell script. It waits for the end of its standard input, then kills the group. Only the service holds the
 * other end, and never writes to it.
 */
const SCRIPT = 'read _; kill -9 "-$1"';

/**
 * The watcher of one process group: a small process in a group of its own. Between the start of a program and the start of
 * its watcher, the program is not watched.
 *
 * Decision: a separate process watches, because it must outlive the service. Rejected: relying on the programs to end with
 * their standard input, because some ignore it; storing process ids for the next start, because another process may get
 * the same id.
 */
export class GroupWatch {
  readonly #watcher: Deno.ChildProcess;

  /** Starts the watcher of the group that `leader` leads. Throws Deno's error if the shell cannot be started. */
  constructor(leader: number) {
    this.#watcher = new Deno.Command("/bin/sh", {
      args: ["-c", SCRIPT, "inkling-watch", String(leader)],
      cwd: "/",
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      // In a group of its own, the watcher does not get Ctrl+C. Only the service gets it, and ends its programs.
      detached: true,
    }).spawn();
  }

  /** Ends the watcher without killing the group. Call it when the group is empty. */
  async end(): Promise<void> {
    try {
      this.#watcher.kill("SIGKILL");
    } catch (error) {
      // The watcher has ended already.
      const isGone = error instanceof TypeError || error instanceof Deno.errors.NotFound ||
        errorCode(error) === "ESRCH";
      if (!isGone) throw error;
    }
    await this.#watcher.status;
    // The input is closed last, because the watcher kills the group when its input ends.
    await this.#watcher.stdin.abort().catch(() => {/* The other end is gone. */});
  }
}
