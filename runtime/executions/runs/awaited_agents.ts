// Finds the agents of executions that continue, and waits for agents whose files cannot be read now.
import type { Agent } from "../../agents/agent.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { Execution } from "../execution.ts";
import { AgentUnreadable } from "../refusals.ts";
import type { RunnerPorts } from "./runner_ports.ts";

type AgentLookup = Pick<RunnerPorts, "findAgent" | "whyUnreadable" | "unsavedAgent">;
type OfAgent = Pick<Execution, "agentId" | "isTrial" | "parentExecutionId">;

/** Finds agents by id, and waits for agents whose files cannot be read. */
export class AwaitedAgents {
  readonly #lookup: AgentLookup;
  #readAgain = Promise.withResolvers<void>();

  constructor(lookup: AgentLookup) {
    this.#lookup = lookup;
  }

  /**
   * Returns the agent of an execution. Returns undefined if there is none, and an AgentUnreadable error if its file cannot
   * be read now. The file of a trial's agent need not exist.
   */
  find({ agentId: id, isTrial, parentExecutionId }: OfAgent): Agent | AgentUnreadable | undefined {
    const agent = this.#lookup.findAgent(id);
    if (agent !== undefined) return agent;
    const problem = this.#lookup.whyUnreadable(id);
    if (problem !== undefined) return new AgentUnreadable(id, problem);
    return isTrial && parentExecutionId === null ? this.#lookup.unsavedAgent?.(id) : undefined;
  }

  /**
   * Waits until the agent's file can be read or is gone, and returns the agent or undefined. Rejects with the signal's
   * reason.
   */
  async whenReadable(execution: OfAgent, signal: AbortSignal): Promise<Agent | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const agent = this.find(execution);
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
