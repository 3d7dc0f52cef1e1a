// Starts the runs of fired triggers.
import type { Agent } from "../../agents/agent.ts";
import { ServiceStopping } from "../../executions/refusals.ts";
import type { RunSpec } from "../../executions/runs/acceptance.ts";
import { follows } from "../../triggers/after/follow_ups.ts";
import type { Fire, StartRun } from "../../triggers/firing/fire.ts";
import type { StoppedTriggers } from "../../triggers/firing/stopped_triggers.ts";
import type { OpenedParts } from "../open_parts.ts";

/** Returns the function that triggers call to start runs. */
export function createStartRun(
  { runner, currentAgent }: OpenedParts,
  stops: StoppedTriggers,
): StartRun {
  return async ({ id }, fire) => {
    const agent = await currentAgent(id);
    if (agent === undefined || !hasTrigger(agent, fire)) return { outcome: "withdrawn" };
    try {
      const started = await runner.attempt(agent, toRunSpec(fire));
      if ("refused" in started) return { outcome: started.refused };
      await stops.started(id, started.id, fire.cause.type);
      return { outcome: "started", executionId: started.id };
    } catch (error) {
      if (error instanceof ServiceStopping) return { outcome: "stopping" };
      throw error;
    }
  };
}

/** Returns true if the agent still has the trigger that fired. */
function hasTrigger(agent: Agent, { cause }: Fire): boolean {
  if (!agent.enabled) return false;
  return cause.type === "after" ? follows(agent, cause.agentId) : agent.trigger.type === cause.type;
}

function toRunSpec({ cause, claim, sessionId, keys, context }: Fire): RunSpec {
  return {
    trigger: cause.type,
    sessionId: sessionId ?? null,
    request: { args: [], cause, ...(context !== undefined && { context }) },
    ...(claim && { claim }),
    ...(keys && { idempotencyKey: keys[0], otherKeys: keys.slice(1) }),
  };
}
