// From a trigger that fires to a run: the spec that it is, and what became of it.
import type { RunSpec } from "../executions/runs/acceptance.ts";
import { ServiceStopping } from "../executions/refusals.ts";
import type { Runner } from "../executions/runs/runner.ts";
import type { Fire, StartRun } from "../triggers/fire.ts";

/** Lets triggers start runs. */
export function createStartRun(runner: Pick<Runner, "attempt">): StartRun {
  return async (agent, fire) => {
    try {
      const started = await runner.attempt(agent, toRunSpec(fire));
      return "refused" in started
        ? { outcome: started.refused }
        : { outcome: "started", executionId: started.id };
    } catch (error) {
      if (error instanceof ServiceStopping) return { outcome: "stopping" };
      throw error;
    }
  };
}

function toRunSpec(fire: Fire): RunSpec {
  if (fire.type === "watch") {
    return {
      trigger: "watch",
      sessionId: null,
      request: { args: [], cause: fire },
      claim: { type: "change", path: fire.path },
    };
  }
  const { type, scheduledFor, reason } = fire;
  return {
    trigger: "schedule",
    sessionId: null,
    request: { args: [], cause: { type, scheduledFor } },
    claim: { type: "slot", scheduledFor, reason },
  };
}
