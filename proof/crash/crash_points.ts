// The named points at which a service may die, as calls of its store: every step of a run is one of them.
import { STARTED } from "./crash_agents.ts";

const ROOTS = STARTED.length;

/** Dies before or after the n-th call of a method of the store. */
export interface CrashPoint {
  name: string;
  method: string;
  when: "before" | "after";
  nth: number;
}

/** The line that a service prints right before it dies at a point. */
export function toLastLine({ name, nth }: CrashPoint): string {
  return `dies ${name} (${nth})`;
}

/** All agents' executions are accepted and hardly one has done anything: half of them are resumed at the next start. */
export const ALL_ACCEPTED: CrashPoint = {
  name: "after all are accepted",
  method: "acceptExecution",
  when: "after",
  nth: ROOTS,
};

/**
 * Whether a parent waits at all depends on how soon its child is answered: 12 to 16 times in a whole life. All other
 * calls have fixed numbers, of which the smallest is 24.
 */
const SURE_WAITS = 8;

/**
 * `step` (1 to 12) is which of the runs' steps it hits: the n-th of its kind, of all runs together. A service that takes
 * them all to their ends reaches each of these points; the waits of parents are counted anew after eight.
 */
export function crashPoints(step: number): CrashPoint[] {
  const wait = 1 + (step - 1) % SURE_WAITS;
  return [
    {
      name: "before a child is accepted",
      method: "acceptExecution",
      when: "before",
      nth: ROOTS + step,
    },
    {
      name: "after a child is accepted",
      method: "acceptExecution",
      when: "after",
      nth: ROOTS + step,
    },
    { name: "before a parent waits", method: "waitForChild", when: "before", nth: wait },
    { name: "after a parent waits", method: "waitForChild", when: "after", nth: wait },
    { name: "before one of many ends", method: "finishExecution", when: "before", nth: step },
    { name: "after one of many ends", method: "finishExecution", when: "after", nth: step },
    { name: "before accept", method: "acceptExecution", when: "before", nth: 1 },
    { name: "after accept", method: "acceptExecution", when: "after", nth: 1 },
    { name: "before the model call", method: "beginConversation", when: "after", nth: 1 },
    { name: "after the model call", method: "recordReply", when: "before", nth: step },
    { name: "after a reply is stored", method: "recordReply", when: "after", nth: step },
    { name: "before a tool's intent", method: "startCall", when: "before", nth: step },
    { name: "before a tool", method: "startCall", when: "after", nth: step },
    { name: "after a tool", method: "finishCall", when: "before", nth: step },
    { name: "after a result is stored", method: "finishCall", when: "after", nth: step },
    { name: "before a question", method: "openRequest", when: "before", nth: step },
    { name: "after a question", method: "openRequest", when: "after", nth: step },
    { name: "before an answer", method: "answerRequest", when: "before", nth: step },
    { name: "after an answer", method: "answerRequest", when: "after", nth: step },
    { name: "before the final status", method: "finishExecution", when: "before", nth: 1 },
    { name: "after the final status", method: "finishExecution", when: "after", nth: 1 },
  ];
}

/**
 * Points while a service takes up what another left that died at ALL_ACCEPTED: it takes over four executions and ends
 * four others first. One of each may wait for a person already, on a busy machine, so that `step` (1 to 3) is surely reached.
 */
export function recoveryPoints(step: number): CrashPoint[] {
  return [
    { name: "before a run is taken over", method: "adoptExecution", when: "before", nth: step },
    { name: "after a run is taken over", method: "adoptExecution", when: "after", nth: step },
    { name: "before what was left is ended", method: "finishExecution", when: "before", nth: step },
    { name: "after what was left is ended", method: "finishExecution", when: "after", nth: step },
  ];
}
