// The wire of reports on the service as a whole.
import { z } from "zod";
import type { Recap } from "../../runtime/runtime.ts";
import type { Source } from "../operations/wire.ts";
import { count, id, timestamp } from "./wire_values.ts";

/** GET /stats. */
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
      executions: count,
      succeeded: count,
      failed: count.meta({
        description: "Ended otherwise; executions that have not ended count as neither",
      }),
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      cost_usd: z.number().nullable().meta({ description: "Null when no price is known" }),
    }).meta({ id: "Usage" }),
  ).meta({
    description: "By day, oldest first, and agent; delegated executions count for their own agent",
  }),
}).meta({ id: "Stats" });
export type StatsBody = z.infer<typeof StatsBody>;

/** GET /log. */
export const LogBody = z.object({
  file: z.string(),
  lines: z.array(z.string()).meta({
    description: "`2026-01-31T08:30:00.000Z INFO  message key=value`, oldest first",
  }),
}).meta({ id: "Log" });
export type LogBody = z.infer<typeof LogBody>;

const cost = z.number().nullable();

/** GET /recap. */
export const RecapBody = z.object({
  since: timestamp,
  until: timestamp,
  executions: z.object({
    total: count,
    succeeded: count,
    failed: count,
    running: count,
    waiting: count,
  })
    .meta({
      description: "Those that began in the span; what a person cancelled is in the total only",
    }),
  cost_usd: cost.meta({ description: "Null when no price is known" }),
  cost_before_usd: cost.meta({ description: "The same span of the day before" }),
  mean_cost_usd: cost.meta({
    description: "The same span of each of the seven days before, on average",
  }),
  failures: z.array(z.object({
    agent_id: z.string(),
    count,
    last_execution_id: id,
    last_error: z.string(),
  })).meta({ description: "By agent, those with most failures first" }),
  waiting: z.array(z.object({
    execution_id: id,
    agent_id: z.string(),
    since: timestamp,
    message: z.string(),
  })).meta({ description: "What waits for a person now, oldest first" }),
  not_run: z.array(z.object({
    agent_id: z.string(),
    outcome: z.enum(["missed", "skipped"]),
    reason: z.string(),
    count,
    first: timestamp,
    last: timestamp,
  })).meta({ description: "Times at which agents were due and did not run, by agent and reason" }),
  downtimes: z.array(z.object({ from: timestamp.nullable(), to: timestamp })).meta({
    description: "When no service ran; `from` is null where the one before was killed",
  }),
  stopped: z.array(z.object({ agent_id: z.string(), reason: z.string() })).meta({
    description:
      "Agents that do not run by themselves now although they would, or not as their files say, and why",
  }),
  next: z.array(z.object({ agent_id: z.string(), at: timestamp })).meta({
    description: "What is due next, the soonest first",
  }),
}).meta({ id: "Recap" });
export type RecapBody = z.infer<typeof RecapBody>;

/** A recap by the names of the wire. */
export function toRecap({ counts, ...recap }: Recap): Source<typeof RecapBody> {
  return {
    ...recap,
    executions: {
      total: Object.values(counts).reduce((sum, n) => sum + n, 0),
      succeeded: counts.success ?? 0,
      failed: recap.failures.reduce((sum, one) => sum + one.count, 0),
      running: counts.running ?? 0,
      waiting: counts.waiting ?? 0,
    },
    failures: recap.failures.map((one) => ({ ...one, lastExecutionId: one.lastId })),
    waiting: recap.waiting.map((one) => ({ ...one, since: one.createdAt })),
    notRun: recap.slots,
  };
}
