// Describes the reasons for which triggers do not fire. The texts contain names and reasons as they are.
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";
import { isAutomatic } from "./triggers.ts";
import { formatMinute } from "./local_time.ts";

/** Returns a sentence that names the agents whose triggers do not fire on this service for the reason `why`. */
export function describeHeld(agents: readonly AgentSummary[], why: string): string {
  const ids = agents.filter((agent) => isAutomatic(agent) && agent.trigger_held === why)
    .map(({ id }) => id);
  const [first = "", ...others] = ids;
  const who = others.length === 0
    ? `The trigger of ${first} does`
    : `The triggers of ${first} and ${others.length} more do`;
  return `${who} not fire here: ${why}`;
}

/** Returns a sentence about an agent's schedule after the machine's clock was set back. */
export function describeSetBack(
  { id, ran_until: until = "", next_run: next, trigger_every: every }: AgentSummary,
): string {
  const rule = every === null ? "these due times do not run again" : "its interval continues";
  return `The clock was set back: ${id} has already run for the due times until ${
    formatMinute(until)
  }, and ` +
    rule + (next === null ? "" : `. Next run: ${formatMinute(next)}`);
}
