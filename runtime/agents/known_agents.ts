// Which agents there are: those that have a file, and those that left a history when their file went.
import { normalizeId } from "./agent_id.ts";
import { AgentNotFound } from "./agent_not_found.ts";
import type { AgentRegistry } from "./registry.ts";

/** Tells an agent that is gone from one that never was. */
export class KnownAgents {
  readonly #registry: AgentRegistry;
  readonly #hasHistory: (id: string) => Promise<boolean>;

  /** `hasHistory` tells whether something is stored of the agent with an id, as ids are stored (NFC). */
  constructor(registry: AgentRegistry, hasHistory: (id: string) => Promise<boolean>) {
    this.#registry = registry;
    this.#hasHistory = hasHistory;
  }

  /** The id under which things of an agent are stored, however it is written. Throws AgentNotFound. */
  async require(id: string): Promise<string> {
    const agent = this.#registry.get(id);
    if (agent !== undefined) return agent.id;
    const stored = normalizeId(id);
    if (!await this.#hasHistory(stored)) throw new AgentNotFound(id);
    return stored;
  }
}
