// Starts the runs of fired triggers.
import { ServiceStopping } from "../../executions/refusals.ts";
import type { RunSpec } from "../../executions/runs/acceptance.ts";
import type { Runner } from "../../executions/runs/runner.ts";
import type { Fire, StartRun } from "../../triggers/firing/fire.ts";

/** Returns the function that triggers call to start runs. */
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
  const shared = { trigger: fire.type, sessionId: null };
  switch (fire.type) {
    case "schedule": {
      const { type, scheduledFor, reason } = fire;
      return {
        ...shared,
        request: { args: [], cause: { type, scheduledFor } },
        claim: { type: "slot", scheduledFor, reason },
      };
    }
    case "change": {
      const { scheduledFor, isLast, isAlone, check, ...cause } = fire;
      return {
        ...shared,
        request: { args: [], cause },
        claim: { type: "check", scheduledFor, isLast, isAlone, check },
      };
    }
    case "watch":
      return {
        ...shared,
        request: { args: [], cause: fire },
        claim: { type: "change", path: fire.path },
      };
    case "after": {
      const { output, ...cause } = fire;
      return {
        ...shared,
        request: { args: [], cause, ...(output !== null && { context: output }) },
        claim: { type: "end", executionId: fire.executionId },
      };
    }
    case "mail": {
      const { mail, sessionId, ...cause } = fire;
      return { ...shared, request: { args: [], cause }, sessionId, claim: { type: "mail", mail } };
    }
    case "webhook": {
      const { keys: [idempotencyKey, ...otherKeys], ...cause } = fire;
      return { ...shared, request: { args: [], cause }, idempotencyKey, otherKeys };
    }
    default:
      return fire satisfies never;
  }
}
