// The scheduler: what fires by itself and when, pausing and resuming all of it.
import { z } from "zod";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { integer } from "../operations/parameters.ts";
import { SchedulerBody, SchedulerChanged } from "../schemas/scheduler_schemas.ts";
import { toScheduler } from "../schemas/scheduler_wire.ts";

/** /scheduler. */
export const schedulerOperations: readonly Operation[] = [
  defineOperation({
    operationId: "scheduler",
    summary: "State of the scheduler, and every agent with a trigger",
    query: z.object({ upcoming: integer({ min: 0, max: 500 }).default(0) }),
    isPolled: true,
    response: SchedulerBody,
    errors: [],
    async handle({ query }, { runtime }) {
      return toScheduler(await runtime.scheduler(query));
    },
  }),
  defineOperation({
    operationId: "pauseScheduler",
    summary: "Pause every trigger, also across restarts; running executions continue",
    response: SchedulerChanged,
    errors: [503],
    async handle(_request, { runtime }) {
      await runtime.pauseScheduler();
      return { status: "paused" as const };
    },
  }),
  defineOperation({
    operationId: "resumeScheduler",
    summary: "Resume every trigger, also those that are stopped one by one",
    response: SchedulerChanged,
    errors: [503],
    async handle(_request, { runtime }) {
      const dropped = await runtime.resumeScheduler();
      return { status: "running" as const, ...(dropped > 0 && { dropped_changes: dropped }) };
    },
  }),
];
