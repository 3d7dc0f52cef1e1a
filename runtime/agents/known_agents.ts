// Finds the known agents: agents with a file, and removed agents with stored data.
import { normalizeId } from "./agent_id.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import type { AgentRegistry } from "./registry.ts";

/** Error: no agent has this id. Display names are not searched. */
export class AgentNotFound extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor(id: string) {
    super(`Agent '${id}' not found`);
  }
}

/** The stored data of agents, by their stored ids (NFC). */
export interface StoredAgentData {
  executions: { newestByAgent(ids: readonly string[]): Promise<{ size: number }> };
  slots: { listSlots(id: string, page: { limit: number; offset: number }): Promise<unknown[]> };
}

/** Distinguishes removed agents from agents that never existed. */
export class KnownAgents {
  readonly #registry: AgentRegistry;
  readonly #stored: StoredAgentData;

  constructor(ports: StoredAgentData & { registry: AgentRegistry }) {
    this.#registry = ports.registry;
    this.#stored = ports;
  }

  /** Returns the stored form of an agent's id in any Unicode spelling. Throws AgentNotFound. */
  async require(id: string): Promise<string> {
    const agent = this.#registry.get(id);
    if (agent !== undefined) return agent.id;
    const stored = normalizeId(id);
    if (!await this.#hasHistory(stored)) throw new AgentNotFound(id);
    return stored;
  }

  async #hasHistory(id: string): Promise<boolean> {
    const { executions, slots } = this.#stored;
    if ((await executions.newestByAgent([id])).size > 0) return true;
    return (await slots.listSlots(id, { limit: 1, offset: 0 })).length > 0;
  }
}
