// The request of a fork.

/** The point of a fork, and its changes. */
export interface ForkRequest {
  /** Absent: the last point before a model call or, with a message, the last point. */
  step?: number;
  /** A message of a person at this point; at step 0 it replaces the original one. */
  message?: string;
  /** `provider/name`; replaces the agent's model. */
  model?: string;
  /** The text of an agent file that replaces the agent's. */
  agentText?: string;
  /** The end of the fork starts the agents that follow this one; absent: it starts none. */
  startsFollowers?: true;
  /** See RunRequest. */
  idempotencyKey?: string;
}
