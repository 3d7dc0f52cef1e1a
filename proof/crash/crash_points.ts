// Lists the named points at which a service can die. Each point is a call of a storage method, because every step of a run
// makes such a call.
import { STARTED } from "./crash_agents.ts";

const ROOTS = STARTED.length;

/** A point at which the service dies: before or after the n-th call of a storage method. */
export interface CrashPoint {
  name: string;
  method: string;
  when: "before" | "after";
  nth: number;
  /** The agent whose calls count. The calls of all agents if absent. */
  agent?: string;
}

/** Returns the line that a service prints immediately before its death at the point. */
export function toLastLine({ name, nth }: CrashPoint): string {
  return `dies ${name} (${nth})`;
}

/** The point at which all executions are accepted and most have done nothing. The next start resumes half of them. */
export const ALL_ACCEPTED: CrashPoint = {
  name: "after all are accepted",
  method: "acceptExecution",
  when: "after",
  nth: ROOTS,
};

/**
 * A number of `waitForChild` calls that a service surely makes while it completes all runs. It makes 12 to 16, depending on
 * how soon a child is answered. The number of calls of each other method is fixed, and at least 24.
 */
const SURE_WAITS = 8;

/**
 * Returns the points of a step (1 to 12), one for each kind of call. `nth` counts the calls of all runs together. A service
 * that completes all runs reaches every point.
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
 * Returns the points of a step during the recovery from a death at ALL_ACCEPTED. The service then adopts four executions
 * and ends four others. Only steps 1 to 3 are certain to be reached, because one execution of each kind may already wait
 * for a person.
 */
export function recoveryPoints(step: number): CrashPoint[] {
  return [
    { name: "before a run is taken over", method: "adoptExecution", when: "before", nth: step },
    { name: "after a run is taken over", method: "adoptExecution", when: "after", nth: step },
    { name: "before what was left is ended", method: "finishExecution", when: "before", nth: step },
    { name: "after what was left is ended", method: "finishExecution", when: "after", nth: step },
  ];
}
