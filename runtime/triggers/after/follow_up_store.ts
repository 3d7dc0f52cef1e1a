// The port to pending follow-ups: agents that still have to start because another agent's execution ended.

/** An ended execution and the agent to start because of it. */
export interface FollowUp {
  /** The agent to start. */
  follower: string;
  /** The execution that ended, and its agent. */
  executionId: number;
  agentId: string;
  displayName: string;
  status: string;
  error: string | null;
  output: string | null;
  /** The length of the chain of `after` triggers that led to the ended execution. */
  depth: number;
}

/** The pending follow-ups. Methods reject with a RuntimeError of code `storage` when the store fails. */
export interface FollowUpStore {
  /** Returns all of them, in the order in which the executions ended. */
  listFollowUps(): Promise<FollowUp[]>;

  /** Removes a follow-up without starting a run. */
  dropFollowUp(followUp: Pick<FollowUp, "follower" | "executionId">): Promise<void>;
}
