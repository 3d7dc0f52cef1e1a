// Options for updating triggers from a list of agents: the reasons why an agent may be missing from the list.

/** Tests that distinguish removed agents from unreadable agents and from agents of other hosts. */
export interface ReconcileOptions {
  /**
   * Returns true if an agent is missing from the list because its file cannot be read. Its stored state is kept; the state
   * of other missing agents is removed.
   */
  isUnreadable: (agentId: string) => boolean;
  /** Returns true if only other hosts fire the agent's trigger. Its stored state is kept. */
  isElsewhere?: (agentId: string) => boolean;
}
