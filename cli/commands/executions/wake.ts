// `inkling wake`: ends the rest of an execution early.
import { performs } from "../../command_line/command.ts";
import type { wake } from "../../declarations/execution_commands.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openService } from "../../service/daemon.ts";

/** Ends the rest. Throws CommandFailure if no execution has the id. */
export const perform = performs<typeof wake>(async (context, options, { id }) => {
  const { output } = context;
  using client = await openService(context);
  const { agent_id: agentId } = await findExecution(client, id);
  const woken = await client.wake(id);
  if (options.json) output.json(woken);
  else output.sentence(`Execution ${id} of ${toOneLine(agentId)} continues`);
});
