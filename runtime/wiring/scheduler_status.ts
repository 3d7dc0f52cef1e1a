// Describes the state of the scheduler: every agent with an automatic trigger, its due times and its stops.
import type { Agent, Trigger } from "../agents/agent.ts";
import { TRIGGER_KINDS } from "../vocabulary/trigger_kinds.ts";
import type { AgentListing, SchedulerJob, SchedulerStatus } from "../interface/runtime.ts";
import type { RequestStore } from "../executions/record/request_store.ts";
import { describeSignInNeeded } from "../tools/mcp/sign_in/sign_in_needed.ts";
import type { Pause } from "../triggers/pause.ts";
import type { SqlTriggerStateStore } from "../triggers/firing/trigger_state_store.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { ShownHistory } from "./shown_history.ts";

/** Returns the scheduler's status. Without triggers, no due times are listed. */
export async function describeScheduler(
  listings: readonly AgentListing[],
  parts: { pause: Pause; triggers: Triggers | undefined; upcoming: number },
): Promise<SchedulerStatus> {
  const { pause, triggers, upcoming } = parts;
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
  { history, triggers, triggerStates, withLessons, requests }: {
    history: Pick<ShownHistory, "newest">;
    triggers: Triggers | undefined;
    triggerStates: Pick<SqlTriggerStateStore, "readStopped">;
    /** Returns the agent with these problems and the reported limits of its model's endpoint among its warnings. */
    withLessons: (agent: Agent, problems: readonly string[]) => Agent;
    requests: Pick<RequestStore, "readSignIns">;
  },
): Promise<AgentListing[]> {
  const signIns = agents.some(({ mcp }) => mcp.length > 0) ? await requests.readSignIns() : [];
  const needed = new Set(signIns.map(({ toolArgs }) => toolArgs["server"]));
  const newest = await history.newest(agents.map(({ id }) => id));
  // A runtime without triggers reads the stopped triggers from the store.
  const stored = triggers === undefined ? await triggerStates.readStopped() : [];
  return agents.map((agent) => {
    const stopped = stored.find(({ agentId }) => agentId === agent.id);
    const notes = triggers?.notes(agent.id);
    return {
      ...(notes ?? { nextRun: null, triggerPaused: stopped?.reason ?? null }),
      agent: withLessons(
        agent,
        agent.mcp.filter((server) => needed.has(server)).map((server) =>
          `The MCP server ${JSON.stringify(server)} cannot be used: ${describeSignInNeeded(server)}`
        ),
      ),
      lastExecution: newest.get(agent.id) ?? null,
    };
  });
}

function isAutomatic(trigger: Trigger): trigger is SchedulerJob["trigger"] {
  return TRIGGER_KINDS[trigger.type].isAutomatic;
}
