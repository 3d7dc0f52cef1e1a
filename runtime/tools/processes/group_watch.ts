// Kills a process group when this process ends in any way, because after kill -9 it cannot clean up itself.
import { errorCode } from "../../../base/error_code.ts";

/** Waits for the end of its input, then kills the group. Only this process holds the input open, and never writes to it. */
const SCRIPT = 'read _; kill -9 "-$1"';

/**
 * The watcher of one process group: a small process in a group of its own. A program is unwatched between its own start and
 * its watcher's.
 *
 * Decision: a shell, because the watcher must outlive this process, and the watched programs may be anything (rejected: the
 * programs' own standard input, which some read and none must obey; storing process ids for the next start, because another
 * process may have the id by then).
 */
export class GroupWatch {
  readonly #watcher: Deno.ChildProcess;

  /** Throws Deno's error when no shell can be started. */
  constructor(leader: number) {
    this.#watcher = new Deno.Command("/bin/sh", {
      args: ["-c", SCRIPT, "inkling-watch", String(leader)],
      cwd: "/",
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      // Ctrl+C must reach only the service, which then ends its programs.
      detached: true,
    }).spawn();
  }

  /** Stops watching and leaves the group as it is. Call it once the group is empty. */
  async end(): Promise<void> {
    try {
      this.#watcher.kill("SIGKILL");
    } catch (error) {
      // The watcher is gone already.
      const isGone = error instanceof TypeError || error instanceof Deno.errors.NotFound ||
        errorCode(error) === "ESRCH";
      if (!isGone) throw error;
    }
    await this.#watcher.status;
    // Last, because the watcher acts when its input ends.
    await this.#watcher.stdin.abort().catch(() => {/* The other end is gone. */});
  }
}
