// The port to ends of executions that are still to start the agents that follow.

/** An end, and who is to start because of it. */
export interface FollowUp {
  /** The agent that is to start. */
  follower: string;
  /** Whose end it is. */
  executionId: number;
  agentId: string;
  displayName: string;
  status: string;
  error: string | null;
  output: string | null;
  /** How many ends led to the execution that has ended, one by the other. */
  depth: number;
}

/** Where they stand until their run takes them. Rejects with a RuntimeError of code `storage` where nothing can be stored. */
export interface FollowUpStore {
  /** All of them, in the order of the executions that have ended. */
  listFollowUps(): Promise<FollowUp[]>;

  /** Takes one out that starts nothing. */
  dropFollowUp(followUp: Pick<FollowUp, "follower" | "executionId">): Promise<void>;
}
