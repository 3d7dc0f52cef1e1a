// The operations on the scheduler: its state, pause and resume.
import { z } from "zod";
import { sourceOf } from "../../runtime/vocabulary/trigger_kinds.ts";
import { operation } from "../operations/operation.ts";
import { integer } from "../operations/parameters.ts";
import type { Source } from "../schemas/wire.ts";
import type { SchedulerJob as Job } from "../../runtime/interface/runtime.ts";
import {
  SchedulerBody,
  SchedulerChanged,
  type SchedulerJob,
} from "../schemas/scheduler_schemas.ts";

export const scheduler = operation({
  summary: "State of the scheduler, and the agents with a trigger",
  query: z.object({ upcoming: integer({ min: 0, max: 500 }).default(0) }),
  isPolled: true,
  response: SchedulerBody,
  async handle({ query }, { runtime }) {
    const { status, inactiveReason, jobs } = await runtime.scheduler(query);
    return { status, held: inactiveReason, jobs: jobs.map(toJob) };
  },
});

export const pauseScheduler = operation({
  summary: "Pause all triggers, also across restarts; running executions continue",
  response: SchedulerChanged,
  errors: [503],
  async handle(_request, { runtime, caller }) {
    await runtime.pauseScheduler(caller);
    return { status: "paused" as const };
  },
});

export const resumeScheduler = operation({
  summary: "Resume all triggers, including those that were stopped individually",
  response: SchedulerChanged,
  errors: [503],
  async handle(_request, { runtime, caller }) {
    const dropped = await runtime.resumeScheduler(caller);
    return { status: "running" as const, droppedChanges: dropped > 0 ? dropped : undefined };
  },
});

function toJob({ trigger, ...job }: Job): Source<typeof SchedulerJob> {
  const schedule = trigger.type === "schedule" ? trigger : undefined;
  return {
    ...job,
    agentName: job.agentId,
    triggerType: trigger.type,
    every: trigger.type === "change" ? trigger.every : schedule?.every,
    cron: schedule?.cron,
    timezone: schedule?.timezone,
    paths: trigger.type === "watch" ? trigger.paths : null,
    scheme: trigger.type === "webhook" ? trigger.scheme : null,
    source: sourceOf(trigger),
  };
}
