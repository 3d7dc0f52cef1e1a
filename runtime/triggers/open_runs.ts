// The runs of one watch agent that have not ended, each with the path that it runs for.
import type { OpenRun } from "./watch_store.ts";

/** Hears of runs in any order: one may have ended before it is known to have started. */
export class OpenRuns {
  readonly #runs = new Map<number, Omit<OpenRun, "executionId">>();
  /** What ended, or began to wait, before it was known to have started. */
  readonly #leftEarly = new Set<number>();
  #isStarting = false;

  /** Does something that may start runs or find started ones. Unknown runs that end meanwhile are remembered until then. */
  async whileStarting<T>(work: () => Promise<T>): Promise<T> {
    this.#isStarting = true;
    try {
      return await work();
    } finally {
      this.#isStarting = false;
      this.#leftEarly.clear();
    }
  }

  /** Counts a run from now on; false: it has ended already, or waits. */
  add({ executionId, path, isRunning }: OpenRun): boolean {
    if (this.#leftEarly.has(executionId)) return false;
    this.#runs.set(executionId, { path, isRunning });
    return true;
  }

  /** A run has ended, or waits for a person. It may be one of somebody else. */
  left(executionId: number, how: "execution_completed" | "execution_waiting"): void {
    const run = this.#runs.get(executionId);
    if (run === undefined && this.#isStarting) this.#leftEarly.add(executionId);
    if (run !== undefined) run.isRunning = false;
    if (how === "execution_completed") this.#runs.delete(executionId);
  }

  /** A run that waited continues. */
  resumed(executionId: number): void {
    const run = this.#runs.get(executionId);
    if (run !== undefined) run.isRunning = true;
  }

  /** The paths of those that run now, one for each; those that wait for a person take no room. */
  busyPaths(): string[] {
    return [...this.#runs.values()].filter(({ isRunning }) => isRunning).map(({ path }) => path);
  }
}
