// Spreads schedules that start in the same minute over the rest of the hour.
import { isJsonObject } from "../../base/json.ts";
import { parseCron } from "../../runtime/agents/cron_expression.ts";
import type { PlannedAgent } from "./import_plan.ts";

type Scheduled = Pick<PlannedAgent, "settings" | "changes">;

/** Returns the number of agents that start in the same minute of an hour: the largest such group. */
export function countCrowded(agents: readonly Scheduled[]): number {
  return Math.max(0, ...groupsOf(agents).values().map((group) => group.length));
}

/** Gives the agents of one minute different minutes in the same hour, and records these changes. */
export function spreadSchedules(agents: readonly Scheduled[]): void {
  const groups = groupsOf(agents);
  const taken = new Set(groups.keys());
  for (const [minute, group] of groups) {
    const left = 60 - minute;
    const step = Math.max(1, Math.floor(left / group.length));
    for (const [index, { agent, rest }] of group.entries()) {
      const { trigger } = agent.settings;
      if (!isJsonObject(trigger) || index === 0) continue;
      const wished = minute + index * step % left;
      let free = wished;
      while (taken.has(free) && free < 59) free++;
      if (taken.has(free)) free = wished;
      taken.add(free);
      const cron = `${free} ${rest}`;
      agent.settings["trigger"] = { ...trigger, cron };
      agent.changes.push({ what: `cron: ${minute} ${rest}`, becomes: `cron: ${cron}` });
    }
  }
}

/** Returns the agents by the minute in which they start, if each hour has one such minute. */
function groupsOf(agents: readonly Scheduled[]) {
  const scheduled = agents.flatMap((agent) => {
    const { trigger } = agent.settings;
    const cron = isJsonObject(trigger) ? trigger["cron"] : undefined;
    const parsed = typeof cron === "string" ? parseCron(cron) : { reason: "" };
    if ("reason" in parsed) return [];
    const [, minute, rest = ""] = /^(\d+) (.*)$/.exec(parsed.text) ?? [];
    return minute === undefined ? [] : [{ agent, minute: Number(minute), rest }];
  });
  return Map.groupBy(scheduled, ({ minute }) => minute);
}
