// The limit of concurrent runs of an agent: `max_concurrent_runs` of its file. Delegated runs neither wait nor count, because
// an agent that calls itself through another one would deadlock.
import type { Agent } from "../../agents/agent.ts";
import { FifoSemaphore } from "../../models/fifo_semaphore.ts";
import type { Execution } from "../execution.ts";
import type { Journal } from "../record/journal.ts";

/** The run slots of all agents. */
export class AgentPlaces {
  readonly #places = new Map<string, FifoSemaphore>();

  /**
   * Waits for a run slot, with a notice in the log, and holds it until disposed. Runs that wait for a person hold none. Rejects
   * with the signal's reason.
   */
  async enter(
    { id, maxConcurrentRuns }: Agent,
    run: { execution: Execution; journal: Journal; signal: AbortSignal },
  ): Promise<Disposable> {
    const { execution, journal, signal } = run;
    if (execution.parentExecutionId !== null) return { [Symbol.dispose]: () => {} };
    const places = this.#places.get(id) ?? new FifoSemaphore(Infinity);
    this.#places.set(id, places);
    places.resize(maxConcurrentRuns ?? Infinity);
    const entered = places.acquire(signal);
    if (places.waiting === 0) return await entered;
    // The run is in the queue before the notice is stored, so that the order is that of arrival.
    const logged = journal.notice(
      "info",
      `Waits for other runs of this agent: max_concurrent_runs is ${maxConcurrentRuns}`,
    );
    const [place, notice] = await Promise.allSettled([entered, logged]);
    if (place.status === "rejected") throw place.reason;
    if (notice.status === "fulfilled") return place.value;
    place.value[Symbol.dispose]();
    throw notice.reason;
  }
}
