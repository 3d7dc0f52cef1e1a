// `inkling replay`: replays a recorded execution offline with the current agent file.
import { performs } from "../../command_line/command.ts";
import type { replay } from "../../declarations/execution_commands.ts";
import { EXIT } from "../../context/context.ts";
import { showReplay } from "../../output/replay/replay_report.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

/** Shows the first difference. The exit code is 1 if there is one. */
export const perform = performs<typeof replay>(async (context, { tools, json }, { id }) => {
  const { app, output } = context;
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const execution = await findExecution(client, id);
  const { agent_id: agentId } = execution;
  // Requested first: an older service answers 404 to a replay, which must not read as an unknown agent.
  await orUnknownAgent(client.agent(agentId), { app, client, agentId });
  const report = await client.replay(id, { tools });
  if (json) output.json(report);
  else showReplay(output, execution, report);
  return report.identical ? EXIT.ok : EXIT.failed;
});
