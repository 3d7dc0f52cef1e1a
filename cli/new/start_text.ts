// Describes when a new agent runs, and whether its trigger needs the service.
import { toAgentWord } from "../command_line/agent_word.ts";
import { toOneLine } from "../output/sanitize.ts";
import { formatLocal } from "../../present/local_time.ts";
import type { AgentStart } from "../../ops/authoring/agent_author.ts";

/** Returns sentences for the user who saved the agent. Returns an empty list for an agent that runs only on request. */
export function describeStart(
  start: AgentStart,
  { id, isRunning }: { id: string; isRunning: boolean },
): string[] {
  const times = [...describeTrigger(start), ...describeFollowed(start)];
  if (times.length === 0) return [];
  if (!start.enabled) {
    return [
      "It does not run by itself: its file contains enabled: false. Switch it on when it works:",
      `  inkling enable ${toAgentWord(id)}`,
    ];
  }
  const needsPort = start.trigger.type === "webhook";
  const port = needsPort ? " --port 8420 --api-key <key>" : "";
  return [
    `It runs ${times.join(", and ")}`,
    isRunning
      ? `The running service has loaded it${needsPort ? ". Webhooks need its --port" : ""}`
      : `It needs the service: inkling start -d${port}`,
    ...start.setup ?? [],
  ].map(toOneLine);
}

function describeTrigger({ trigger, nextRun }: AgentStart): string[] {
  switch (trigger.type) {
    case "manual":
      return [];
    case "schedule": {
      const next = nextRun === null
        ? "which never matches"
        : `next at ${formatLocal(new Date(nextRun).toISOString()).slice(0, -3)}`;
      const rhythm = trigger.every === undefined
        ? `by cron ${trigger.cron}`
        : `every ${trigger.every}`;
      return [`${rhythm}, ${next}`];
    }
    case "watch":
      return [`when a file changes in ${trigger.paths.join(", ")}`];
    case "webhook":
      return [`when a delivery arrives (${trigger.scheme})`];
    case "change":
      return [`when ${trigger.url ?? trigger.command} changes, checked every ${trigger.every}`];
    case "mail":
      return [`when a mail arrives in ${trigger.folder} of ${trigger.account}`];
    default:
      return trigger satisfies never;
  }
}

function describeFollowed({ after }: AgentStart): string[] {
  return after.length === 0
    ? []
    : [`when ${after.map(({ agentId }) => agentId).join(" or ")} ends`];
}
