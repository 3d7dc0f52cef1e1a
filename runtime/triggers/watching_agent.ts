// An agent that watches something, and what of it its watch is made of.
import { isDeepStrictEqual } from "node:util";
import type { Agent, WatchTrigger } from "../agents/agent.ts";

/** An agent with a watch trigger that may fire. */
export type WatchingAgent = Agent & { trigger: WatchTrigger };

/** Whether changes of files may start the agent. */
export function isWatching(agent: Agent): agent is WatchingAgent {
  return agent.enabled && agent.trigger.type === "watch";
}

/** Whether two definitions watch the same in the same way: all else may differ. */
export function watchTheSame(a: WatchingAgent, b: WatchingAgent): boolean {
  return isDeepStrictEqual(watchedBy(a), watchedBy(b));
}

/** Whether somebody edited the agent between the two: warnings come and go by themselves. */
export function isEdited(before: Agent, now: Agent): boolean {
  return !isDeepStrictEqual({ ...before, warnings: [] }, { ...now, warnings: [] });
}

function watchedBy({ trigger }: WatchingAgent): Omit<WatchTrigger, "type" | "input" | "maxRuns"> {
  const { paths, filters, debounceMs, catchUp } = trigger;
  return { paths, filters, debounceMs, catchUp };
}
