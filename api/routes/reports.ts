// The operations that report on the whole service: usage, recap, and its log.
import { z } from "zod";
import { DAY_MS } from "../../base/time_units.ts";
import { USAGE_DIVISIONS } from "../../runtime/vocabulary/usage_divisions.ts";
import { operation } from "../operations/operation.ts";
import { agents, integer, moment, timeZone } from "../operations/parameters.ts";
import { LogBody, RecapBody, StatsBody, toRecap } from "../schemas/report_schemas.ts";

export const stats = operation({
  summary: "Usage of executions by day and agent",
  query: z.object({
    days: integer({ min: 1, max: 366 }).default(30),
    timezone: timeZone,
    by: z.enum(USAGE_DIVISIONS).optional().meta({
      description: "Divides the usage of each agent by its models or by its triggers",
    }),
  }),
  isPolled: true,
  response: StatsBody,
  async handle({ query: { days, timezone, by } }, { runtime }) {
    const report = await runtime.usage({ days, by, ...(timezone && { timeZone: timezone }) });
    return {
      timezone: report.timeZone,
      days: report.days.map(({ date }) => date),
      usage: report.entries,
    };
  },
});

export const recap = operation({
  summary: "Recap of a period: its executions, the open questions and the stopped agents",
  description:
    "The default of `since` is 24 hours before `until`, the default of `until` is now. `agent` limits the recap to " +
    "these agents, without `downtimes`.",
  query: z.object({ since: moment, until: moment, agent: agents }),
  isPolled: true,
  response: RecapBody,
  async handle({ query }, { runtime }) {
    const until = query.until === undefined ? runtime.clock.now() : Date.parse(query.until);
    const since = query.since === undefined ? until - DAY_MS : Date.parse(query.since);
    return toRecap(await runtime.recap({ since, until, agentIds: query.agent }));
  },
});

export const log = operation({
  summary: "The last lines of the service's log",
  query: z.object({ lines: integer({ min: 1, max: 5_000 }).default(200) }),
  response: LogBody,
  async handle({ query }, { runtime }) {
    return { file: runtime.directories.logFile, lines: await runtime.readLog(query) };
  },
});
