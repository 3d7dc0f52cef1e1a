// Looks up the agents of executions that continue, and waits for agents whose files cannot be read now.
import type { Agent } from "../../agents/agent.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { AgentUnreadable } from "../refusals.ts";

/** The agent registry, as far as executions need it. */
export interface AgentLookup {
  /** Returns the current definition of an agent. */
  findAgent(id: string): Agent | undefined;
  /** Returns the problem of an agent's file that exists but cannot be read. Undefined if the agent exists or is gone. */
  whyUnreadable(id: string): Diagnostic | undefined;
}

/** Agents by id, with a wait for unreadable ones. */
export class AwaitedAgents {
  readonly #lookup: AgentLookup;
  #readAgain = Promise.withResolvers<void>();

  constructor(lookup: AgentLookup) {
    this.#lookup = lookup;
  }

  /** Returns the agent, undefined if there is none, or AgentUnreadable if its file cannot be read now. */
  find(id: string): Agent | AgentUnreadable | undefined {
    const agent = this.#lookup.findAgent(id);
    if (agent !== undefined) return agent;
    const problem = this.#lookup.whyUnreadable(id);
    return problem && new AgentUnreadable(id, problem);
  }

  /** Waits until the agent's file can be read or is gone. Rejects with the signal's reason. */
  async settled(id: string, signal: AbortSignal): Promise<Agent | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const agent = this.find(id);
      if (!(agent instanceof AgentUnreadable)) return agent;
      await untilAborted(this.#readAgain.promise, signal);
    }
  }

  /** Wakes all waits, because the files were read again. */
  read(): void {
    this.#readAgain.resolve();
    this.#readAgain = Promise.withResolvers();
  }
}
