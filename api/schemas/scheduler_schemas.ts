// The schemas of the scheduler, its jobs, and the outcomes of scheduled times.
import { z } from "zod";
import { AUTOMATIC_TRIGGER_TYPES } from "../../runtime/vocabulary/trigger_kinds.ts";
import { SLOT_OUTCOMES } from "../../runtime/triggers/schedule/slot_store.ts";
import { count, id, timestamp, webhookScheme } from "./wire_values.ts";

/** The state of the scheduler: `paused` means that no trigger fires. */
export const schedulerStatus = z.enum(["running", "paused"]).meta({ id: "SchedulerStatus" });

/** The reason why this service starts no runs by triggers; absent if it starts such runs. */
export const triggersHeld = z.string().optional().meta({
  description: "The reason why this service fires no triggers: another service of the workspace " +
    "does. Absent if it fires them",
});

/** The optional fields about an agent's trigger. */
export const triggerNotes = {
  ran_until: timestamp.optional().meta({
    description: "The latest time that it has run for, if the clock was set back since",
  }),
  trigger_held: z.string().optional().meta({
    description: "The reason why its trigger does not fire here: another host or service fires it",
  }),
};

/** An agent with an automatic trigger. */
export const SchedulerJob = z.object({
  agent_id: z.string(),
  display_name: z.string(),
  agent_name: z.string().meta({ description: "The same as agent_id" }),
  trigger_type: z.enum(AUTOMATIC_TRIGGER_TYPES),
  next_run: timestamp.nullable(),
  upcoming: z.array(timestamp).meta({
    description: "The next times, at most as many as the parameter `upcoming`",
  }),
  every: z.string().nullable(),
  cron: z.string().nullable(),
  timezone: z.string().nullable(),
  paths: z.array(z.string()).nullable(),
  scheme: webhookScheme.nullable(),
  source: z.string().nullable().meta({ description: "The checked address or command" }),
  last_run: timestamp.nullable(),
  trigger_paused: z.string().nullable(),
}).meta({ id: "SchedulerJob" });
export type SchedulerJob = z.infer<typeof SchedulerJob>;

/** The response of GET /scheduler. */
export const SchedulerBody = z.object({
  status: schedulerStatus,
  held: triggersHeld,
  jobs: z.array(SchedulerJob),
}).meta({ id: "Scheduler" });
export type SchedulerBody = z.infer<typeof SchedulerBody>;

/** The number of file changes that a resume drops. */
export const droppedChanges = count.meta({
  description: "Number of dropped file changes that occurred while the trigger was stopped",
});

/** The response of POST /scheduler/pause and /scheduler/resume. */
export const SchedulerChanged = z.object({
  status: schedulerStatus,
  dropped_changes: droppedChanges.optional(),
}).meta({ id: "SchedulerChanged" });

/** A scheduled time of an agent and its outcome. */
export const SlotBody = z.object({
  scheduled_for: timestamp.meta({
    description: "The scheduled time; with a count above 1, the first of them",
  }),
  outcome: z.enum(SLOT_OUTCOMES),
  reason: z.string().nullable(),
  execution_id: id.nullable(),
  count,
}).meta({ id: "Slot" });
export type SlotBody = z.infer<typeof SlotBody>;
