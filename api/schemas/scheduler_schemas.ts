// The wire of what runs by itself: the scheduler, what it will start, and what became of what was due.
import { z } from "zod";
import { AUTOMATIC_TRIGGER_TYPES } from "../../runtime/trigger_kinds.ts";
import { SLOT_OUTCOMES } from "../../runtime/triggers/schedule/slot_store.ts";
import { count, id, timestamp, webhookScheme } from "./wire_values.ts";

/** Whether triggers may fire. */
export const schedulerStatus = z.enum(["running", "paused"]).meta({ id: "SchedulerStatus" });

/** The reason why nothing fires on this service. */
export const triggersHeld = z.string().optional().meta({
  description: "Why this service fires no triggers: another one on the workspace does; else absent",
});

/** The fields about an agent's trigger; each is absent while it has no value. */
export const triggerNotes = {
  ran_until: timestamp.optional().meta({
    description: "It has run for times up to this one, because the clock was set back since",
  }),
  trigger_held: z.string().optional().meta({
    description: "Why its trigger does not fire here: another host or service does that",
  }),
};

/** An agent that runs by itself. */
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
  last_run: timestamp.nullable(),
  trigger_paused: z.string().nullable(),
}).meta({ id: "SchedulerJob" });
export type SchedulerJob = z.infer<typeof SchedulerJob>;

/** GET /scheduler. */
export const SchedulerBody = z.object({
  status: schedulerStatus,
  held: triggersHeld,
  jobs: z.array(SchedulerJob),
}).meta({ id: "Scheduler" });
export type SchedulerBody = z.infer<typeof SchedulerBody>;

/** How many file changes a resume drops. */
export const droppedChanges = count.meta({
  description: "How many file changes that came while it was stopped are dropped",
});

/** POST /scheduler/pause and /scheduler/resume. */
export const SchedulerChanged = z.object({
  status: schedulerStatus,
  dropped_changes: droppedChanges.optional(),
}).meta({ id: "SchedulerChanged" });
export type SchedulerChanged = z.infer<typeof SchedulerChanged>;

/** A time at which an agent was due, and what became of it. */
export const SlotBody = z.object({
  scheduled_for: timestamp.meta({ description: "With a count above 1, the first of them" }),
  outcome: z.enum(SLOT_OUTCOMES),
  reason: z.string().nullable(),
  execution_id: id.nullable(),
  count,
}).meta({ id: "Slot" });
export type SlotBody = z.infer<typeof SlotBody>;
