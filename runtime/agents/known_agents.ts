// Which agents there are: those that have a file, and those that left a history when their file went.
import { normalizeId } from "./agent_id.ts";
import { AgentNotFound } from "./agent_not_found.ts";
import type { AgentRegistry } from "./registry.ts";

/** What is stored of agents, by ids as they are stored (NFC). */
export interface AgentTraces {
  executions: { newestByAgent(ids: readonly string[]): Promise<{ size: number }> };
  slots: { listSlots(id: string, page: { limit: number; offset: number }): Promise<unknown[]> };
}

/** Tells an agent that is gone from one that never was. */
export class KnownAgents {
  readonly #registry: AgentRegistry;
  readonly #traces: AgentTraces;

  constructor(ports: AgentTraces & { registry: AgentRegistry }) {
    this.#registry = ports.registry;
    this.#traces = ports;
  }

  /** The id under which things of an agent are stored, however it is written. Throws AgentNotFound. */
  async require(id: string): Promise<string> {
    const agent = this.#registry.get(id);
    if (agent !== undefined) return agent.id;
    const stored = normalizeId(id);
    if (!await this.#hasHistory(stored)) throw new AgentNotFound(id);
    return stored;
  }

  async #hasHistory(id: string): Promise<boolean> {
    const { executions, slots } = this.#traces;
    if ((await executions.newestByAgent([id])).size > 0) return true;
    return (await slots.listSlots(id, { limit: 1, offset: 0 })).length > 0;
  }
}
