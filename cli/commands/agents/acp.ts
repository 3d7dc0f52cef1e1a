// `inkling acp`: an editor talks with an agent over standard input and output.
import { performs } from "../../command_line/command.ts";
import type { acp } from "../../declarations/agent_commands.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";
import { openService } from "../../service/daemon.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Serves the editor until it closes standard input. */
export const perform = performs<typeof acp>(async (context, _options, { agent: agentId }) => {
  const { app } = context;
  using interrupts = listenToInterrupts(app);
  {
    using client = await openService(context);
    await orUnknownAgent(client.agent(agentId), { app, client, agentId });
  }
  const { serveAcp } = await import("../../../reach/acp/stdio.ts");
  const open = () => openService(context);
  await serveAcp({ open, agentId, version: app.version, clock: app.clock }, interrupts.first);
});
