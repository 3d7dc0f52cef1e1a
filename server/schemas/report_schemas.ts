// The wire of reports on the service as a whole.
import { z } from "zod";
import { count } from "./wire_values.ts";

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
