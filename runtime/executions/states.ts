// The states of an execution: which may follow which, and who brings that about. The one table for the stores' SQL, for runs,
// their ends, answers and the recovery after a death.

/**
 * Who changes a state: the `run` itself, in this process; an `answer`, or the time that is over for one; somebody `outside`
 * of what waits (a cancel, a purge, the end of what delegated), or of what is to run and `nobody` runs; the `recovery` of what
 * a dead service left.
 */
export type StateChanger = "run" | "answer" | "outside" | "nobody" | "recovery";

/** By state, those that may follow it. None follows a final one. */
const FOLLOWERS = {
  running: {
    waiting: ["run"],
    success: ["run"],
    error: ["run"],
    aborted: ["run", "nobody"],
    timeout: ["run"],
    orphaned: ["recovery"],
  },
  waiting: { running: ["answer"], aborted: ["outside"] },
  success: {},
  error: {},
  aborted: {},
  timeout: {},
  orphaned: {},
} as const satisfies Record<string, Record<string, readonly StateChanger[]>>;

/** A state of an execution. */
export type ExecutionStatus = keyof typeof FOLLOWERS;
/** A state that never changes again. */
export type FinalStatus = {
  [S in ExecutionStatus]: keyof (typeof FOLLOWERS)[S] extends never ? S : never;
}[ExecutionStatus];
export type OpenStatus = Exclude<ExecutionStatus, FinalStatus>;

export const EXECUTION_STATUSES = Object.keys(FOLLOWERS) as ExecutionStatus[];
export const OPEN_STATUSES = EXECUTION_STATUSES.filter((one): one is OpenStatus => !isFinal(one));

/** Whether an execution has ended for good. */
export function isFinal(status: ExecutionStatus): status is FinalStatus {
  return Object.keys(FOLLOWERS[status]).length === 0;
}

/** The state in which an execution must be so that `by` may bring it to `next`. Throws TypeError where nobody gave it that right. */
export function stateBefore(next: ExecutionStatus, by: StateChanger): OpenStatus {
  const before = OPEN_STATUSES.find((one) => {
    const followers: Partial<Record<ExecutionStatus, readonly StateChanger[]>> = FOLLOWERS[one];
    return followers[next]?.includes(by);
  });
  if (before === undefined) throw new TypeError(`No execution becomes "${next}" by "${by}"`);
  return before;
}
