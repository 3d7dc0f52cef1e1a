// Spreads schedules that start in the same minute over the rest of the hour.
import { isJsonObject } from "../../base/json.ts";
import { parseCron } from "../../runtime/agents/triggers/cron_expression.ts";
import type { PlannedAgent } from "./import_plan.ts";

type Scheduled = Pick<PlannedAgent, "settings" | "changes">;

/** Returns the number of agents that start in the same minute of an hour: the largest such group. */
export function countCrowded(agents: readonly Scheduled[]): number {
  return Math.max(0, ...groupsOf(agents).values().map((group) => group.length));
}

/** Gives the agents of one minute different minutes in the same hour, and records these changes. */
export function spreadSchedules(agents: readonly Scheduled[]): void {
  const groups = groupsOf(agents);
  const free = new Set(Array.from({ length: 60 }, (_, minute) => minute));
  for (const minute of groups.keys()) free.delete(minute);
  for (const [minute, group] of groups) {
    const step = Math.max(1, Math.floor((60 - minute) / group.length));
    for (const [index, { agent, trigger, rest }] of group.entries().drop(1)) {
      const wished = minute + index * step % (60 - minute);
      const found = free.values().find((one) => one >= wished) ?? wished;
      free.delete(found);
      const cron = `${found} ${rest}`;
      agent.settings["trigger"] = { ...trigger, cron };
      agent.changes.push({ what: `cron: ${minute} ${rest}`, becomes: `cron: ${cron}` });
    }
  }
}

/** Returns the agents by the minute in which they start, if each hour has one such minute. */
function groupsOf(agents: readonly Scheduled[]) {
  const scheduled = agents.flatMap((agent) => {
    const { trigger } = agent.settings;
    if (!isJsonObject(trigger) || typeof trigger["cron"] !== "string") return [];
    const parsed = parseCron(trigger["cron"]);
    const [, minute, rest = ""] = /^(\d+) (.*)$/.exec("text" in parsed ? parsed.text : "") ?? [];
    return minute === undefined ? [] : [{ agent, trigger, minute: Number(minute), rest }];
  });
  return Map.groupBy(scheduled, ({ minute }) => minute);
}
