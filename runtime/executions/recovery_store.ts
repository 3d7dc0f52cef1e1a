// The port to what other instances left behind.

/** What a start takes up. Rejects with a RuntimeError of code `storage` where nothing can be stored. */
export interface RecoveryStore {
  /** Ids of executions that another, dead instance left running. */
  findAbandoned(): Promise<number[]>;

  /** Takes over a run that another instance left, to go on with it here. */
  adoptExecution(executionId: number): Promise<void>;

  /** Waiting executions whose result nobody wants any more: the one above them has ended. */
  findForsaken(): Promise<number[]>;
}
