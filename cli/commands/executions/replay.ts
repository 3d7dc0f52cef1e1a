// `inkling replay`: replays a recorded execution offline, with the current agent file.
import { performs } from "../../command_line/command.ts";
import type { replay } from "../../declarations/execution_commands.ts";
import { EXIT } from "../../context/context.ts";
import { showReplay } from "../../output/replay/replay_report.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

/** Prints whether the replay differs, with the first difference. The exit code is 1 if it differs. */
export const perform = performs<typeof replay>(async (context, { tools, json }, { id }) => {
  const { app, output } = context;
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const execution = await findExecution(client, id);
  const { agent_id: agentId } = execution;
  // Checks that the agent exists before the replay. An older service answers a replay with 404, and this command must not
  // report that answer as an unknown agent.
  await orUnknownAgent(client.agent(agentId), { app, client, agentId });
  const report = await client.replay(id, { tools });
  if (json) output.json(report);
  else showReplay(output, execution, report);
  return report.identical ? EXIT.ok : EXIT.failed;
});
