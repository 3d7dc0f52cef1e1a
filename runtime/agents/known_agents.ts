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

/**
 * Returns the stored form (NFC) of an agent's id in any Unicode spelling. The agent may be removed. Throws AgentNotFound
 * for an agent that never existed.
 */
export async function requireKnownAgent(
  id: string,
  { registry, executions, slots }: {
    registry: AgentRegistry;
    executions: { newestByAgent(ids: readonly string[]): Promise<{ size: number }> };
    slots: { listSlots(id: string, page: { limit: number; offset: number }): Promise<unknown[]> };
  },
): Promise<string> {
  const agent = registry.get(id);
  if (agent !== undefined) return agent.id;
  const stored = normalizeId(id);
  const isKnown = (await executions.newestByAgent([stored])).size > 0 ||
    (await slots.listSlots(stored, { limit: 1, offset: 0 })).length > 0;
  if (!isKnown) throw new AgentNotFound(id);
  return stored;
}
