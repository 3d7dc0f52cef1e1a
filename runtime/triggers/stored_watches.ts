// What the store holds of watches from before this start, until each agent is met again or known to be gone.
import type { QueuedChange, WatchStore } from "./watch_store.ts";

/** What is stored of agents that have not been met yet. */
export class StoredWatches {
  readonly #store: WatchStore;
  #unmet: Promise<Map<string, QueuedChange[]>> | undefined;

  constructor(store: WatchStore) {
    this.#store = store;
  }

  /** The changes that wait for an agent, oldest first; none for one that was met. */
  async changesOf(agentId: string): Promise<readonly QueuedChange[]> {
    return (await this.#read()).get(agentId) ?? [];
  }

  /** From now on the agent looks after its changes itself. */
  async meet(agentId: string): Promise<void> {
    (await this.#read()).delete(agentId);
  }

  /** Forgets agents that went while the service was down. */
  async forget(isGone: (agentId: string) => boolean): Promise<void> {
    const unmet = await this.#read();
    const gone = [...unmet.keys()].filter(isGone);
    if (gone.length === 0) return;
    await this.#store.forgetWatches(gone);
    for (const id of gone) unmet.delete(id);
  }

  async #read(): Promise<Map<string, QueuedChange[]>> {
    try {
      return await (this.#unmet ??= this.#load());
    } catch (error) {
      // Whoever asks next tries anew.
      this.#unmet = undefined;
      throw error;
    }
  }

  async #load(): Promise<Map<string, QueuedChange[]>> {
    const unmet = new Map<string, QueuedChange[]>();
    for (const id of await this.#store.listAgents()) unmet.set(id, []);
    for (const change of await this.#store.readQueue()) unmet.get(change.agentId)?.push(change);
    return unmet;
  }
}
