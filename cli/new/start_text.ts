// Describes when a new agent runs, and whether its trigger needs the service.
import { toAgentWord } from "../command_line/agent_word.ts";
import { toOneLine } from "../output/sanitize.ts";
import type { AgentStart } from "../../ops/authoring/agent_author.ts";
import { describeTrigger } from "./start_questions.ts";

/** Returns sentences for the user who saved the agent. Returns an empty list for an agent that runs only on request. */
export function describeStart(
  start: AgentStart,
  { id, isRunning }: { id: string; isRunning: boolean },
): string[] {
  const times = [describeTrigger(start) ?? [], describeFollowed(start)].flat();
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

function describeFollowed({ after }: AgentStart): string[] {
  return after.length === 0
    ? []
    : [`when ${after.map(({ agentId }) => agentId).join(" or ")} ends`];
}
