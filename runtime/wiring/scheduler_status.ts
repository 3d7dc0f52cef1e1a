// The scheduler as it stands: every agent that runs by itself, when, and whether it may.
import type { Trigger } from "../agents/agent.ts";
import { TRIGGER_KINDS } from "../trigger_kinds.ts";
import type { AgentListing, SchedulerJob, SchedulerStatus } from "../runtime.ts";
import type { Pause } from "../triggers/pause.ts";
import type { Triggers } from "../triggers/triggers.ts";

/** The status from what agents, triggers and the pause say; without triggers nothing is due. */
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
      upcoming: triggers?.nextRuns(agentId, upcoming) ?? [],
      lastRun: lastExecution?.startedAt ?? null,
      triggerPaused,
    }];
  });
  const watcherActive = triggers?.watcherActive ?? false;
  return { status: await pause.state(), watcherActive, jobs };
}

function isAutomatic(trigger: Trigger): trigger is SchedulerJob["trigger"] {
  return TRIGGER_KINDS[trigger.type].isAutomatic;
}
