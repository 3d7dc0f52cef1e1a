// Defines the request of a fork.
import type { Caller } from "../vocabulary/callers.ts";

/** The point of a fork, and the changes that apply from there on. */
export interface ForkRequest {
  /** The number of copied steps. If absent, all steps before the last model call, or all steps if `message` is set. */
  step?: number;
  /** A person's message at the point of the fork. At step 0, it replaces the message of the original run. */
  message?: string;
  /** The model that replaces the agent's, as `provider/name`. */
  model?: string;
  /** The text of an agent file that replaces the agent's file. */
  agentText?: string;
  /** Set if the fork's end starts the agents with an `after` trigger on this agent. If absent, it starts none. */
  startsFollowers?: true;
  /** The idempotency key, see RunRequest. */
  idempotencyKey?: string;
  /** The sender, for the audit. */
  by?: Caller;
}
