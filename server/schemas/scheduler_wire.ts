// From what the runtime starts by itself to the wire's.
import { toTimestamp } from "../../base/clock.ts";
import type { AgentListing, SchedulerJob as Job, SchedulerStatus } from "../../runtime/runtime.ts";
import type { Slot } from "../../runtime/triggers/schedule/slot_store.ts";
import type { SchedulerBody, SchedulerJob, SlotBody } from "./scheduler_schemas.ts";
import { toTimestampOrNull } from "./wire_values.ts";

/** What fires by itself. */
export function toScheduler({ status, heldBecause, jobs }: SchedulerStatus): SchedulerBody {
  const held = heldBecause === undefined ? {} : { held: heldBecause };
  return { status, ...held, jobs: jobs.map(toJob) };
}

/** What triggers say of an agent. */
export function toTriggerNotes(
  { ranUntil, heldBecause }: Pick<AgentListing, "ranUntil" | "heldBecause">,
): { ran_until?: string; trigger_held?: string } {
  return {
    ...(ranUntil !== undefined && { ran_until: toTimestamp(ranUntil) }),
    ...(heldBecause !== undefined && { trigger_held: heldBecause }),
  };
}

/** A time at which an agent was due. */
export function toSlot(slot: Slot): SlotBody {
  return {
    scheduled_for: toTimestamp(slot.scheduledFor),
    outcome: slot.outcome,
    reason: slot.reason,
    execution_id: slot.executionId,
    count: slot.count,
  };
}

function toJob(job: Job): SchedulerJob {
  const { agentId, displayName, trigger, nextRun, lastRun } = job;
  const schedule = trigger.type === "schedule" ? trigger : undefined;
  return {
    agent_id: agentId,
    display_name: displayName,
    agent_name: agentId,
    trigger_type: trigger.type,
    next_run: toTimestampOrNull(nextRun),
    upcoming: job.upcoming.map(toTimestamp),
    every: schedule?.every ?? null,
    cron: schedule?.cron ?? null,
    timezone: schedule?.timezone ?? null,
    paths: trigger.type === "watch" ? trigger.paths : null,
    scheme: trigger.type === "webhook" ? trigger.scheme : null,
    last_run: toTimestampOrNull(lastRun),
    trigger_paused: job.triggerPaused,
  };
}
