// Describes the state of the scheduler: every agent with an automatic trigger, its due times and its stops.
import type { Agent, Trigger } from "../../agents/agent.ts";
import { TRIGGER_KINDS } from "../../vocabulary/trigger_kinds.ts";
import type { AgentListing, SchedulerJob, SchedulerStatus } from "../../interface/runtime.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { errorAtStart } from "../../../base/diagnostics.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { RuntimeParts } from "../open_parts.ts";
import type { ShownHistory } from "./shown_history.ts";

const loadSignInWords = lazyModule(() => import("../../tools/mcp/sign_in/sign_in_needed.ts"));

/** Returns the scheduler's status. Without triggers, no due times are listed. */
export async function describeScheduler(
  listings: readonly AgentListing[],
  { pause, triggers, upcoming }: RuntimeParts & { upcoming: number },
): Promise<SchedulerStatus> {
  const jobs = listings.flatMap((listing): SchedulerJob[] => {
    const { agent, lastExecution, nextRun, triggerPaused } = listing;
    const { id: agentId, displayName, trigger } = agent;
    if (!agent.enabled || !isAutomatic(trigger)) return [];
    return [{
      agentId,
      displayName,
      trigger,
      nextRun,
      upcoming: nextRun === null ? [] : triggers?.nextRuns(agentId, upcoming) ?? [],
      lastRun: lastExecution?.startedAt ?? null,
      triggerPaused,
    }];
  });
  const watcherActive = triggers?.watcherActive ?? false;
  const inactiveReason = triggers?.inactiveReason;
  const held = inactiveReason === undefined ? {} : { inactiveReason };
  return { status: await pause.state(), ...held, watcherActive, jobs };
}

/** Returns the agents with their newest execution and the state of their triggers. */
export async function toListings(
  agents: readonly Agent[],
  parts: RuntimeParts & { history: ShownHistory },
): Promise<AgentListing[]> {
  const { history, triggers, triggerStates, requests, redactor } = parts;
  const usesServers = agents.some(({ mcp }) => mcp.length > 0);
  const problems = usesServers ? await describeNeededSignIns(requests) : new Map<string, string>();
  const newest = await history.newest(agents.map(({ id }) => id));
  // A runtime without triggers reads the stopped triggers from the store.
  const stored = triggers === undefined ? await triggerStates.readStopped() : [];
  return showAgents(agents, redactor).map((agent) => {
    const stopped = stored.find(({ agentId }) => agentId === agent.id);
    const notes = triggers?.notes(agent.id);
    const { passedOver, passedMail } = notes ?? {};
    return {
      ...(notes ?? { nextRun: null, triggerPaused: stopped?.reason ?? null }),
      // The names of files and the subjects of mails are other people's texts.
      ...(passedOver && { passedOver: redactIfNeeded(passedOver, redactor) }),
      ...(passedMail && { passedMail: redactIfNeeded(passedMail, redactor) }),
      agent: withWarnings(agent, [
        ...agent.mcp.flatMap((server) => problems.get(server) ?? []),
        ...parts.describeModelLimits(agent),
      ]),
      lastExecution: newest.get(agent.id) ?? null,
    };
  });
}

/** Returns the agent with these sentences among its warnings. */
function withWarnings(agent: Agent, sentences: readonly string[]): Agent {
  const found = sentences.map((message) => (
    { ...errorAtStart(agent.sourcePath, message), severity: "warning" as const }
  ));
  return found.length === 0 ? agent : { ...agent, warnings: [...agent.warnings, ...found] };
}

/** The agents without secrets, for each version of the secrets: agents are listed often, and seldom change. */
const shownAgents = new WeakMap<object, WeakMap<Agent, Agent>>();

/**
 * Returns the agents without secrets in the texts that their listings show. An agent's file may contain one by mistake. Asks
 * for the version once, because that reads the current secrets from the file system.
 */
function showAgents(agents: readonly Agent[], redactor: Redactor): Agent[] {
  const shown = shownAgents.getOrInsertComputed(redactor.version, () => new WeakMap());
  return agents.map((agent) =>
    shown.getOrInsertComputed(agent, () => {
      const { description, trigger, warnings } = agent;
      return { ...agent, ...redactor.redactValue({ description, trigger, warnings }) };
    })
  );
}

/** Returns the value without secrets: the same object if it contains none, because lists are compared by identity. */
function redactIfNeeded<T extends object>(value: T, redactor: Redactor): T {
  const shown = redactor.redactValue(value);
  return JSON.stringify(shown) === JSON.stringify(value) ? value : shown;
}

/** Returns a sentence for each MCP server for which a run waits until a person signs in. */
async function describeNeededSignIns(
  requests: RuntimeParts["requests"],
): Promise<Map<string, string>> {
  const signIns = await requests.readSignIns();
  if (signIns.length === 0) return new Map();
  const { describeSignInNeeded } = await loadSignInWords();
  return new Map(signIns.map(({ toolArgs }) => {
    const server = String(toolArgs["server"]);
    const problem = describeSignInNeeded(server);
    return [server, `The MCP server ${JSON.stringify(server)} cannot be used: ${problem}`];
  }));
}

function isAutomatic(trigger: Trigger): trigger is SchedulerJob["trigger"] {
  return TRIGGER_KINDS[trigger.type].isAutomatic;
}
