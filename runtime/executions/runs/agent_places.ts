// The limit of an agent's concurrent runs: `max_concurrent_runs` in its file. Delegated runs neither wait for a slot nor
// occupy one. Otherwise an agent that calls itself through another agent would wait for itself forever.
import type { Agent } from "../../agents/agent.ts";
import { FifoSemaphore } from "../../models/fifo_semaphore.ts";
import type { Execution } from "../execution.ts";
import type { Journal } from "../record/journal.ts";

/** The run slots of all agents. */
export class AgentPlaces {
  readonly #places = new Map<string, FifoSemaphore>();

  /**
   * Waits for a run slot, writes a notice to the execution's log if it has to wait, and returns the slot. Disposing the
   * slot releases it. Runs that wait for a person hold no slot. Rejects with the signal's reason.
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
    // The run enters the queue before its notice is stored, so that runs get slots in the order of their arrival.
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
