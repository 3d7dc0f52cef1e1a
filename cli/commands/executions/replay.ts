// replay: a recorded execution played again, offline, with its agent as it is now.
import { performs } from "../../command_line/command.ts";
import type { replay } from "../../declarations/execution_commands.ts";
import { EXIT } from "../../context.ts";
import { showReplay } from "../../output/replay/replay_report.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../unknown_agent.ts";

/** Shows the first place that differs, if any does: then the exit code is 1. */
export const perform = performs<typeof replay>(async (context, { tools, json }, { id }) => {
  const { app, output } = context;
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const execution = await findExecution(client, id);
  const { agent_id: agentId } = execution;
  // Asked for first, so that an older service is not taken for a missing agent.
  await orUnknownAgent(client.agent(agentId), { app, client, agentId });
  const report = await client.replay(id, { tools });
  if (json) output.json(report);
  else showReplay(output, execution, report);
  return report.identical ? EXIT.ok : EXIT.failed;
});
