// The store interface for the recovery of executions after a service has died.

/** Finds and adopts executions of dead services. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface RecoveryStore {
  /** Returns the ids of executions that a dead service left running. Resting executions are not among them. */
  findAbandoned(): Promise<number[]>;

  /** Assigns an abandoned execution to this service. */
  adoptExecution(executionId: number): Promise<void>;

  /**
   * Returns the running time in milliseconds of an abandoned run that is not stored: the time until the last frame in its
   * log. Returns 0 if the killed service had not started the run itself.
   */
  readUncountedMs(executionId: number): Promise<number>;

  /** Returns the ids of waiting and resting executions whose parent has ended. */
  findWithEndedParent(): Promise<number[]>;

  /** Returns waiting and resting executions that were cancelled on another machine while they ran, with the errors to store. */
  findCancelled(): Promise<{ id: number; error: string }[]>;
}
