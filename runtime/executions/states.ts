// The states of an execution and the transitions between them. The stores use these states in their SQL, and the picture in
// docs/architecture.md is generated from this table.

/**
 * The cause of a transition:
 * - `run`: the run itself, in this process
 * - `answer`: an answer to its question, or the deadline of that question
 * - `outside`: for a waiting execution, a cancel, a purge, or the end of its parent
 * - `nobody`: a cancel of an execution that no process runs: it rests, or none has claimed it yet
 * - `recovery`: the start after the death of a service
 */
export type StateChanger = "run" | "answer" | "outside" | "nobody" | "recovery";

/** The allowed next states of each state, with the causes of each transition. A final state has no next state. */
const NEXT_STATES = {
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
export type ExecutionStatus = keyof typeof NEXT_STATES;
/** A state that never changes again. */
export type FinalStatus = {
  [S in ExecutionStatus]: keyof (typeof NEXT_STATES)[S] extends never ? S : never;
}[ExecutionStatus];
export type OpenStatus = Exclude<ExecutionStatus, FinalStatus>;

/** One allowed change of an execution's state. */
export interface Transition {
  from: OpenStatus;
  to: ExecutionStatus;
  by: StateChanger;
}

export const EXECUTION_STATUSES = Object.keys(NEXT_STATES) as ExecutionStatus[];
export const OPEN_STATUSES = EXECUTION_STATUSES.filter((one): one is OpenStatus => !isFinal(one));

/** All allowed transitions. An execution begins as `running`. */
export const TRANSITIONS: readonly Transition[] = OPEN_STATUSES.flatMap((from) =>
  (Object.entries(NEXT_STATES[from]) as [ExecutionStatus, readonly StateChanger[]][]).flatMap(
    ([to, causes]) => causes.map((by) => ({ from, to, by })),
  )
);

/** Returns true if the state never changes again. */
export function isFinal(status: ExecutionStatus): status is FinalStatus {
  return Object.keys(NEXT_STATES[status]).length === 0;
}

/**
 * Returns the state from which the cause `by` may change an execution to `next`. Throws TypeError if there is no such
 * transition.
 */
export function stateBefore(next: ExecutionStatus, by: StateChanger): OpenStatus {
  const transition = TRANSITIONS.find((one) => one.to === next && one.by === by);
  if (transition === undefined) throw new TypeError(`No execution becomes "${next}" by "${by}"`);
  return transition.from;
}
