// The conditions under which agents may run while nobody watches: the service starts with the machine, messages reach a
// person, and no agent that fires by itself has an error.
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";
import type { InfoBody } from "../api/schemas/info_schemas.ts";
import { isAutomatic } from "./triggers.ts";

/** The texts of the conditions that are not met, each with its remedy. `names` has channels or agents. */
const TEXTS = {
  unit_missing: () => 'no unit starts the service with the machine ("inkling service install")',
  unit_unreadable: () => "this process may not read the folders of units",
  unit_disabled: () => 'the unit does not start with the machine ("inkling service install")',
  lingering_off: () => 'the service ends when you log out ("loginctl enable-linger")',
  unit_inactive: () => 'the service was not started by its unit ("inkling service install")',
  channel_missing: () => 'no channel reaches you ("inkling setup")',
  channel_untested: () => 'no channel is tested ("inkling notify --test")',
  test_failed: (names: string) =>
    `a test message did not arrive: ${names} ("inkling notify --test")`,
  agent_error: (names: string) => `an agent's file has an error: ${names} ("inkling validate")`,
  trigger_paused: (names: string) => `a trigger is paused: ${names} ("inkling resume")`,
  scheduler_paused: () =>
    'the scheduler is paused (resume it on the Schedule page of "inkling ui")',
};

/** A condition that is not met. */
export interface MissingCondition {
  code: keyof typeof TEXTS;
  /** The channels or agents that do not meet the condition. */
  names?: string[];
}

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
    ...(unit.isEnabled ? [] : [{ code: "unit_disabled" as const }]),
    ...(unit.isLingering ? [] : [{ code: "lingering_off" as const }]),
    ...(manager === null ? [{ code: "unit_inactive" as const }] : []),
  ];
}

function channelConditions({ info: { channels = [] } }: ReadinessFacts): MissingCondition[] {
  if (channels.length === 0) return [{ code: "channel_missing" }];
  const failed = channels.filter(({ test }) => test === "failed").map(({ name }) => name);
  if (failed.length > 0) return [{ code: "test_failed", names: failed }];
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
    ...(broken.length > 0 ? [{ code: "agent_error" as const, names: broken }] : []),
    ...(paused.length > 0 ? [{ code: "trigger_paused" as const, names: paused }] : []),
    ...(info.scheduler_status === "paused" ? [{ code: "scheduler_paused" as const }] : []),
  ];
}

/** Returns the state as a sentence: `Unattended: ready`, or the missing conditions, each with its remedy. */
export function describeReadiness(missing: readonly MissingCondition[]): string {
  if (missing.length === 0) return "Unattended: ready";
  const texts = missing.map(({ code, names = [] }) => TEXTS[code](names.join(", ")));
  return `Unattended: not ready: ${texts.join("; ")}`;
}
