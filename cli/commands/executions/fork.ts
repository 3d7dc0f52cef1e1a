// `inkling fork`: starts a new execution that continues a recorded execution from one of its steps.
import { defined } from "../../context/defined.ts";
import { performs } from "../../command_line/command.ts";
import type { fork } from "../../declarations/execution_commands.ts";
import type { ForkBody } from "../../../api/schemas/replay_schemas.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { misuse } from "../../context/context.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";
import { accept } from "../../runs/accept_run.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { showAccepted, showRun } from "../../runs/show_run.ts";

/**
 * Starts the new execution and prints it until its end. With --detach it returns when the service has accepted the fork.
 */
export const perform = performs<typeof fork>(async (context, options, { id }) => {
  const { app, output } = context;
  const { at, message, model, agentFile, followers } = options;
  const body: ForkBody = {
    ...defined({ step: at, message, model }),
    ...(agentFile !== undefined && { agent_text: await readAgentText(agentFile) }),
    ...(followers && { start_followers: true }),
  };
  using interrupts = listenToInterrupts(app);
  const { client, accepted } = await accept(context, interrupts, async (client, key) => {
    const { agent_id: agentId } = await findExecution(client, id);
    // Checks that the agent exists before the fork. An older service answers a fork with 404, and this command must not
    // report that answer as an unknown agent.
    await orUnknownAgent(client.agent(agentId), { app, client, agentId });
    return await client.fork(id, body, key);
  });
  using _ = client;
  const { execution_id: executionId } = accepted;
  const { forked_from: from, agent_id: agentId } = await findExecution(client, executionId);
  const origin = `Forked from execution ${id} after step ${from?.step ?? "?"}`;
  const { json } = options;
  if (options.detach) {
    return showAccepted(output, accepted, {
      json,
      sentence: (id) => `${origin}: execution ${id} of ${toOneLine(agentId)} is running`,
    });
  }
  output.note(`${origin}; "inkling diff ${id} ${executionId}" compares them`);
  return await showRun(context, { client, executionId, interrupts, json, takenOver: from });
});

async function readAgentText(path: string): Promise<string> {
  const text = await Deno.readTextFile(path).catch(ignoreMissing);
  if (text !== undefined) return text;
  throw misuse(`There is no file ${toOneLine(path)}`);
}
