// Facts about agents that are absent from the list, for triggers that are brought in step with it.

/** Distinguishes unreadable agents and agents of other hosts from removed agents. */
export interface ReconcileOptions {
  /**
   * Returns true for an agent that is not listed because its file cannot be read now. Its stored state stays; other
   * unlisted agents are gone.
   */
  isUnreadable: (agentId: string) => boolean;
  /** Returns true when only other hosts fire the agent's trigger. Its stored state stays. */
  isElsewhere?: (agentId: string) => boolean;
}
