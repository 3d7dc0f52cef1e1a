// The conditions under which agents may run while nobody watches: the service starts with the machine, messages reach a
// person, and no agent that fires by itself has an error.
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";
import type { InfoBody } from "../api/schemas/info_schemas.ts";
import { isAutomatic } from "./triggers.ts";

/** A condition that is not met. */
export type MissingCondition =
  | { code: "unit_missing" }
  | { code: "unit_unreadable" }
  | { code: "unit_disabled" }
  | { code: "lingering_off" }
  | { code: "unit_inactive" }
  | { code: "channel_missing" }
  | { code: "channel_untested" }
  | { code: "test_failed"; channels: string[] }
  | { code: "agent_error"; agents: string[] }
  | { code: "trigger_paused"; agents: string[] }
  | { code: "scheduler_paused" };

/** The facts about the machine and the service. */
export interface ReadinessFacts {
  /** The installed unit; undefined: none. */
  unit: { isEnabled: boolean; isLingering: boolean } | undefined;
  /** True if Deno's permissions keep this process from reading some files, so that it can miss an installed unit. */
  isConfined: boolean;
  /** True if the service answers. */
  isRunning: boolean;
  info: Pick<
    InfoBody,
    "service_manager" | "channels" | "agent_errors" | "agent_warnings" | "scheduler_status"
  >;
  agents: readonly AgentSummary[];
}

/** Returns true if an agent fires by itself. Agents with a scripted model do not count, because they are trials. */
export function needsReadiness(agents: readonly AgentSummary[]): boolean {
  return agents.some((agent) => isAutomatic(agent) && agent.model_provider !== "demo");
}

/** Returns the missing conditions; empty: agents may run unattended. */
export function findMissingConditions(facts: ReadinessFacts): MissingCondition[] {
  return [...unitConditions(facts), ...channelConditions(facts), ...agentConditions(facts)];
}

function unitConditions(
  { unit, isConfined, isRunning, info }: ReadinessFacts,
): MissingCondition[] {
  const manager = isRunning ? info.service_manager ?? null : null;
  // A container needs no unit, because the container's settings start the service with the machine.
  if (manager === "container") return [];
  if (unit === undefined) return [{ code: isConfined ? "unit_unreadable" : "unit_missing" }];
  return [
    ...(unit.isEnabled ? [] : [{ code: "unit_disabled" } as const]),
    ...(unit.isLingering ? [] : [{ code: "lingering_off" } as const]),
    ...(manager === null ? [{ code: "unit_inactive" } as const] : []),
  ];
}

function channelConditions({ info: { channels = [] } }: ReadinessFacts): MissingCondition[] {
  if (channels.length === 0) return [{ code: "channel_missing" }];
  const failed = channels.filter(({ test }) => test === "failed").map(({ name }) => name);
  if (failed.length > 0) return [{ code: "test_failed", channels: failed }];
  const isTested = channels.some(({ test }) => test === "accepted");
  return isTested ? [] : [{ code: "channel_untested" }];
}

function agentConditions({ info, agents }: ReadinessFacts): MissingCondition[] {
  const manual = new Set(agents.filter((agent) => !isAutomatic(agent)).map(({ id }) => id));
  // The trigger of a file that has never been valid is unknown, so that file counts.
  const files = [...info.agent_errors, ...info.agent_warnings].filter(({ id, diagnostics }) =>
    !manual.has(id) && diagnostics.some(({ severity }) => severity === "error")
  );
  const broken = [...new Set(files.map(({ id }) => id))];
  const paused = agents.filter((agent) => isAutomatic(agent) && agent.trigger_paused !== null)
    .map(({ id }) => id);
  return [
    ...(broken.length > 0 ? [{ code: "agent_error", agents: broken } as const] : []),
    ...(paused.length > 0 ? [{ code: "trigger_paused", agents: paused } as const] : []),
    ...(info.scheduler_status === "paused" ? [{ code: "scheduler_paused" } as const] : []),
  ];
}

/** Returns the state as a sentence: `Unattended: ready`, or the missing conditions, each with its remedy. */
export function describeReadiness(missing: readonly MissingCondition[]): string {
  if (missing.length === 0) return "Unattended: ready";
  return `Unattended: not ready: ${missing.map(describeMissing).join("; ")}`;
}

function describeMissing(condition: MissingCondition): string {
  switch (condition.code) {
    case "unit_missing":
      return 'no unit starts the service with the machine ("inkling service install")';
    case "unit_unreadable":
      return "this process may not read the folders of units";
    case "unit_disabled":
      return 'the unit does not start with the machine ("inkling service install")';
    case "lingering_off":
      return 'the service ends when you log out ("loginctl enable-linger")';
    case "unit_inactive":
      return 'the service was not started by its unit ("inkling service install")';
    case "channel_missing":
      return 'no channel reaches you ("inkling setup")';
    case "channel_untested":
      return 'no channel is tested ("inkling notify --test")';
    case "test_failed":
      return `a test message did not arrive: ${
        condition.channels.join(", ")
      } ("inkling notify --test")`;
    case "agent_error":
      return `an agent's file has an error: ${condition.agents.join(", ")} ("inkling validate")`;
    case "trigger_paused":
      return `a trigger is paused: ${condition.agents.join(", ")} ("inkling resume")`;
    case "scheduler_paused":
      return 'the scheduler is paused (resume it on the Schedule page of "inkling ui")';
    default:
      return condition satisfies never;
  }
}
