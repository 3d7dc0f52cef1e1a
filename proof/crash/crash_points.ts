// The named points at which a service may die. Each is a call of its store, so every step of a run has one.
import { STARTED } from "./crash_agents.ts";

const ROOTS = STARTED.length;

/** Dies before or after the n-th call of a method of the store. */
export interface CrashPoint {
  name: string;
  method: string;
  when: "before" | "after";
  nth: number;
}

/** Returns the line that a service prints right before it dies at a point. */
export function toLastLine({ name, nth }: CrashPoint): string {
  return `dies ${name} (${nth})`;
}

/** All executions are accepted and few have done anything. Half of them are resumed at the next start. */
export const ALL_ACCEPTED: CrashPoint = {
  name: "after all are accepted",
  method: "acceptExecution",
  when: "after",
  nth: ROOTS,
};

/**
 * The number of waits depends on how soon a child is answered: 12 to 16 in a whole life. All other calls have fixed
 * counts of at least 24.
 */
const SURE_WAITS = 8;

/**
 * Returns the points of a step (1 to 12): the n-th call of each kind, over all runs. A service that completes all
 * runs reaches each of them; waits repeat after eight.
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
 * Returns points during the recovery after a death at ALL_ACCEPTED: the service takes over four executions and ends
 * four others. One of each may already wait for a person, so only steps 1 to 3 are surely reached.
 */
export function recoveryPoints(step: number): CrashPoint[] {
  return [
    { name: "before a run is taken over", method: "adoptExecution", when: "before", nth: step },
    { name: "after a run is taken over", method: "adoptExecution", when: "after", nth: step },
    { name: "before what was left is ended", method: "finishExecution", when: "before", nth: step },
    { name: "after what was left is ended", method: "finishExecution", when: "after", nth: step },
  ];
}
