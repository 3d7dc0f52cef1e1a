// The request of a fork.

/** The point of a fork, and its changes. */
export interface ForkRequest {
  /** The number of copied steps. Default: all before the last model call, or all steps if `message` is set. */
  step?: number;
  /** A message of a person at this point; at step 0 it replaces the original one. */
  message?: string;
  /** `provider/name`; replaces the agent's model. */
  model?: string;
  /** The text of an agent file that replaces the agent's. */
  agentText?: string;
  /** True: the end of the fork starts the agents that follow this one. Default: it starts none. */
  startsFollowers?: true;
  /** See RunRequest. */
  idempotencyKey?: string;
}
