// What triggers are told beside the agents that there are: which of the others are gone for good.

/** How triggers are brought in step with the agents. */
export interface ReconcileOptions {
  /**
   * Whether an agent that is not listed may be back in a moment, because its file is there but cannot be read now. What is
   * known of such an agent stays as it is; every other one that is not listed is gone.
   */
  isUnreadable: (agentId: string) => boolean;
  /** Whether the trigger of an agent is for other hosts: what is stored of it stays, and this service fires nothing. */
  isElsewhere?: (agentId: string) => boolean;
}
