// Finds the agents of executions that continue, and waits for agents whose files cannot be read now.
import type { Agent } from "../../agents/agent.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import { AgentUnreadable } from "../refusals.ts";
import type { RunnerPorts } from "./runner_ports.ts";

type AgentLookup = Pick<RunnerPorts, "findAgent" | "whyUnreadable">;

/** Finds agents by id, and waits for agents whose files cannot be read. */
export class AwaitedAgents {
  readonly #lookup: AgentLookup;
  #readAgain = Promise.withResolvers<void>();

  constructor(lookup: AgentLookup) {
    this.#lookup = lookup;
  }

  /**
   * Returns the agent with this id. Returns undefined if there is none, and an AgentUnreadable error if its file cannot be
   * read now.
   */
  find(id: string): Agent | AgentUnreadable | undefined {
    const agent = this.#lookup.findAgent(id);
    if (agent !== undefined) return agent;
    const problem = this.#lookup.whyUnreadable(id);
    return problem && new AgentUnreadable(id, problem);
  }

  /**
   * Waits until the agent's file can be read or is gone, and returns the agent or undefined. Rejects with the signal's
   * reason.
   */
  async whenReadable(id: string, signal: AbortSignal): Promise<Agent | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const agent = this.find(id);
      if (!(agent instanceof AgentUnreadable)) return agent;
      await untilAborted(this.#readAgain.promise, signal);
    }
  }

  /** Called after the agents' files were read again. Wakes everything that waits for an agent. */
  notifyRead(): void {
    this.#readAgain.resolve();
    this.#readAgain = Promise.withResolvers();
  }
}
