// `inkling show`: prints the settings, tools and prompt of an agent's next run.
import { performs } from "../../command_line/command.ts";
import type { show } from "../../declarations/agent_commands.ts";
import { showPlan } from "../../output/reports/plan.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

/** Prints the plan of the agent's next run. To list the tools, the service starts the agent's MCP servers. */
export const perform = performs<typeof show>(async (
  context,
  { prompt, json },
  { agent: agentId },
) => {
  const { app, output } = context;
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const { id } = await orUnknownAgent(client.agent(agentId), { app, client, agentId });
  const plan = await client.plan(id, { prompt });
  if (json) output.json(plan);
  else showPlan(output, plan, { now: app.clock.now(), isService: reader.isService });
});
