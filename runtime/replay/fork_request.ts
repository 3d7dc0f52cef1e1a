// A fork as a person or a program asks for it.

/** Where a run is gone on from, and what is different from there on. */
export interface ForkRequest {
  /** Absent: the last step at which something can still change. */
  step?: number;
  /** What a person says there; at step 0 in place of what was said. */
  message?: string;
  /** `provider/name` instead of the agent's. */
  model?: string;
  /** The text of an agent file that holds instead of the agent's. */
  agentText?: string;
  /** Its end starts the agents that run after this one; without it, it starts none. */
  startsFollowers?: true;
  /** See RunRequest. */
  idempotencyKey?: string;
}
