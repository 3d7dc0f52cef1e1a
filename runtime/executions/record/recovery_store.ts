// The port to what other instances left behind.

/** What a start takes over. Rejects with a RuntimeError of code `storage` where nothing can be stored. */
export interface RecoveryStore {
  /** Ids of executions that another, dead instance left running. */
  findAbandoned(): Promise<number[]>;

  /** Takes over a run that another instance left, to continue it here. */
  adoptExecution(executionId: number): Promise<void>;

  /**
   * Milliseconds that an abandoned run is known, by its log, to have run since its running time was last stored: of one that
   * a killed service had started itself, up to its last frame. 0 where that is not known.
   */
  readUncountedMs(executionId: number): Promise<number>;

  /** Waiting executions whose result nobody needs any longer: the one above them has ended. */
  findForsaken(): Promise<number[]>;

  /** Waiting executions that somebody cancelled at another machine while they ran, with the errors asked for. */
  findCancelled(): Promise<{ id: number; error: string }[]>;
}
