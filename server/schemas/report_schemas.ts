// The wire of reports on the service as a whole.
import { z } from "zod";
import { toTimestamp } from "../../base/clock.ts";
import type { Recap } from "../../runtime/runtime.ts";
import { count, id, timestamp, toTimestampOrNull } from "./wire_values.ts";

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
    since: timestamp,
    message: z.string(),
    agent_id: z.string(),
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

/** A recap as it is sent. */
export function toRecap(recap: Recap): RecapBody {
  const { counts } = recap;
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return {
    since: toTimestamp(recap.since),
    until: toTimestamp(recap.until),
    executions: {
      total,
      succeeded: counts.success ?? 0,
      failed: recap.failures.reduce((sum, one) => sum + one.count, 0),
      running: counts.running ?? 0,
      waiting: counts.waiting ?? 0,
    },
    cost_usd: recap.costUsd,
    cost_before_usd: recap.costBeforeUsd,
    mean_cost_usd: recap.meanCostUsd,
    failures: recap.failures.map((one) => ({
      agent_id: one.agentId,
      count: one.count,
      last_execution_id: one.lastId,
      last_error: one.lastError,
    })),
    waiting: recap.waiting.map((one) => ({
      execution_id: one.executionId,
      agent_id: one.agentId,
      since: toTimestamp(one.createdAt),
      message: one.message,
    })),
    not_run: recap.slots.map(({ agentId, first, last, ...rest }) => ({
      agent_id: agentId,
      ...rest,
      first: toTimestamp(first),
      last: toTimestamp(last),
    })),
    downtimes: recap.downtimes.map(({ from, to }) => ({
      from: toTimestampOrNull(from),
      to: toTimestamp(to),
    })),
    stopped: recap.stopped.map(({ agentId, reason }) => ({ agent_id: agentId, reason })),
    next: recap.next.map(({ agentId, at }) => ({ agent_id: agentId, at: toTimestamp(at) })),
  };
}
