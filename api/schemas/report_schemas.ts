// The schemas of the reports on the whole service: usage, log and recap.
import { z } from "zod";
import type { Recap } from "../../runtime/interface/runtime.ts";
import type { Source } from "./wire.ts";
import { executionTrigger } from "./execution_schemas.ts";
import { count, id, timestamp } from "./wire_values.ts";

/** The response of GET /stats. */
export const StatsBody = z.object({
  timezone: z.string().meta({ description: "The IANA time zone of the days" }),
  days: z.array(z.string()).meta({
    description: "All days, oldest first, including today and days without executions",
    examples: [["2026-01-30", "2026-01-31"]],
  }),
  usage: z.array(
    z.object({
      date: z.string().meta({ description: "The day on which the executions started" }),
      agent_id: z.string(),
      model: z.string().optional().meta({ description: "Only with `by=model`" }),
      trigger: executionTrigger.optional().meta({ description: "Only with `by=trigger`" }),
      executions: count,
      succeeded: count,
      failed: count.meta({
        description: "Executions that ended without success; those not yet ended count as neither",
      }),
      duration_ms: count.meta({ description: "The sum of the ended executions" }),
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      cost_usd: z.number().nullable().meta({ description: "Null if no price is known" }),
    }).meta({ id: "Usage" }),
  ).meta({
    description:
      "Usage by day, oldest first, and by agent; delegated executions count for their own agent",
  }),
}).meta({ id: "Stats" });
export type StatsBody = z.infer<typeof StatsBody>;

/** The response of GET /log. */
export const LogBody = z.object({
  file: z.string(),
  lines: z.array(z.string()).meta({
    description: "`2026-01-31T08:30:00.000Z INFO  message key=value`, oldest first",
  }),
}).meta({ id: "Log" });

const cost = z.number().nullable();

/** The response of GET /recap. */
export const RecapBody = z.object({
  since: timestamp,
  until: timestamp,
  executions: z.object({
    total: count,
    succeeded: count,
    failed: count,
    running: count,
    resting: count,
    waiting: count,
  })
    .meta({
      description: "Executions that started in the period; `total` also counts those that a " +
        "person cancelled. A resting execution counts as `resting` only",
    }),
  cost_usd: cost.meta({ description: "Null if no price is known" }),
  cost_before_usd: cost.meta({ description: "The cost of the same period one day earlier" }),
  mean_cost_usd: cost.meta({
    description: "The mean cost of the same period on the seven days before",
  }),
  failures: z.array(z.object({
    agent_id: z.string(),
    count,
    last_execution_id: id,
    last_error: z.string(),
  })).meta({ description: "Failures by agent, most failures first" }),
  waiting: z.array(z.object({
    execution_id: id,
    agent_id: z.string(),
    since: timestamp,
    message: z.string(),
  })).meta({ description: "The open questions to people, oldest first" }),
  not_run: z.array(z.object({
    agent_id: z.string(),
    outcome: z.enum(["missed", "skipped"]),
    reason: z.string(),
    count,
    first: timestamp,
    last: timestamp,
  })).meta({ description: "Scheduled times without a run, by agent and reason" }),
  downtimes: z.array(z.object({ from: timestamp.nullable(), to: timestamp })).meta({
    description: "Periods without a running service; `from` is null if the service was killed",
  }),
  stopped: z.array(z.object({ agent_id: z.string(), reason: z.string() })).meta({
    description:
      "Agents whose triggers do not fire, or that run by an earlier version of their file, with the reason",
  }),
  next: z.array(z.object({ agent_id: z.string(), at: timestamp })).meta({
    description: "The next scheduled runs, soonest first",
  }),
}).meta({ id: "Recap" });
export type RecapBody = z.infer<typeof RecapBody>;

/** Converts a recap to a source for toWire(). */
export function toRecap({ counts, ...recap }: Recap): Source<typeof RecapBody> {
  return {
    ...recap,
    executions: {
      total: Object.values(counts).reduce((sum, n) => sum + n, 0),
      succeeded: counts.success ?? 0,
      failed: recap.failures.reduce((sum, one) => sum + one.count, 0),
      running: counts.running ?? 0,
      resting: counts.resting ?? 0,
      waiting: counts.waiting ?? 0,
    },
    failures: recap.failures.map((one) => ({ ...one, lastExecutionId: one.lastId })),
    waiting: recap.waiting.map((one) => ({ ...one, since: one.createdAt })),
    notRun: recap.slots,
  };
}
