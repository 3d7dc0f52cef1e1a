// The agents of executions that continue: as they are now, gone, or with a file that cannot be read at the moment. Who needs
// such an agent waits here until that is known.
import type { Agent } from "../../agents/agent.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { AgentUnreadable } from "../refusals.ts";

/** Where agents are looked up. */
export interface AgentLookup {
  /** The agent of an id as it is now. */
  findAgent(id: string): Agent | undefined;
  /** Why it cannot be told whether there is an agent of an id; undefined when there is one, or none. */
  whyUnreadable(id: string): Diagnostic | undefined;
}

/** The same agents, and the wait for those that cannot be read. */
export class AwaitedAgents {
  readonly #lookup: AgentLookup;
  #readAgain = Promise.withResolvers<void>();

  constructor(lookup: AgentLookup) {
    this.#lookup = lookup;
  }

  /** The agent of an id, undefined when there is none; or that its file cannot be read now. */
  find(id: string): Agent | AgentUnreadable | undefined {
    const agent = this.#lookup.findAgent(id);
    if (agent !== undefined) return agent;
    const problem = this.#lookup.whyUnreadable(id);
    return problem && new AgentUnreadable(id, problem);
  }

  /** The same, once it can be told. Rejects with the signal's reason when it aborts before. */
  async settled(id: string, signal: AbortSignal): Promise<Agent | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const agent = this.find(id);
      if (!(agent instanceof AgentUnreadable)) return agent;
      await untilAborted(this.#readAgain.promise, signal);
    }
  }

  /** The files were read again: who waits is told. */
  read(): void {
    this.#readAgain.resolve();
    this.#readAgain = Promise.withResolvers();
  }
}
