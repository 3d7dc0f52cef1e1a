// Ends a process group when this process ends, however that is: kill -9 lets nobody tidy up.
import { errorCode } from "../../../base/error_code.ts";

/** Waits for the end of its input, which is held open by us alone; then ends the group. Nothing is ever written to it. */
const SCRIPT = 'read _; kill -9 "-$1"';

/**
 * A watcher of one group: a small process in a group of its own. Decision: a shell, because whoever watches must not die
 * with us, and the programs watched may be anything (rejected: their own standard input, which some read and none must
 * heed; noting their numbers for the next start, by when they may be somebody else's). Not watched over is a program in the
 * moment between its own start and its watcher's.
 */
export class GroupWatch {
  readonly #watcher: Deno.ChildProcess;

  /** Throws what Deno throws where no shell can be started. */
  constructor(leader: number) {
    this.#watcher = new Deno.Command("/bin/sh", {
      args: ["-c", SCRIPT, "inkling-watch", String(leader)],
      cwd: "/",
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      // Ctrl+C is for the service, which still ends what it started.
      detached: true,
    }).spawn();
  }

  /** Watches no more, and leaves the group as it is. To be called once nothing of it is left. */
  async end(): Promise<void> {
    try {
      this.#watcher.kill("SIGKILL");
    } catch (error) {
      // Somebody has ended it.
      const isGone = error instanceof TypeError || error instanceof Deno.errors.NotFound ||
        errorCode(error) === "ESRCH";
      if (!isGone) throw error;
    }
    await this.#watcher.status;
    // Not before: the end of its input is what it waits for.
    await this.#watcher.stdin.abort().catch(() => {/* Its other end is gone. */});
  }
}
