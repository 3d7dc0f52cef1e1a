// `inkling resume`: resumes the paused trigger of an agent.
import { performs } from "../../command_line/command.ts";
import type { resume } from "../../declarations/agent_commands.ts";
import type { AgentResumed } from "../../../api/schemas/agent_action_schemas.ts";
import { EXIT } from "../../context/context.ts";
import { formatPlural } from "../../output/figures.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { openService } from "../../service/daemon.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

/** Resumes the agent's trigger. The exit code is 1 if the trigger stays paused. */
export const perform = performs<typeof resume>(async (context, options, { agent: agentId }) => {
  const { app, output } = context;
  using client = await openService(context);
  const resumed = await orUnknownAgent(client.resumeAgent(agentId), { app, client, agentId });
  if (options.json) output.json(resumed);
  else output.sentence(toOneLine(describe(resumed)));
  return resumed.trigger_paused === null ? EXIT.ok : EXIT.failed;
});

function describe(result: AgentResumed): string {
  const { agent_id: id, resumed, trigger_paused: reason, dropped_changes: dropped } = result;
  if (reason !== null) return `The trigger of ${id} stays paused: ${reason}`;
  if (!resumed) return `The trigger of ${id} is not paused`;
  const changes = formatPlural(dropped, "file change");
  const rest = dropped === 0
    ? ""
    : `; ${changes} during the pause ${dropped === 1 ? "was" : "were"} dropped`;
  return `The trigger of ${id} is resumed${rest}`;
}
