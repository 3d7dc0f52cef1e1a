// `inkling why`: explains why an agent ran or did not run at a time, and says what the user can do.
import { performs } from "../../command_line/command.ts";
import type { why } from "../../declarations/agent_commands.ts";
import { formatPlural } from "../../output/figures.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { explain } from "../../../present/why/explain.ts";
import { readMomentOption } from "../../command_line/moment.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

/**
 * Prints why the agent ran or did not run at a time. Without a time, explains the agent's last due time and its current
 * state.
 */
export const perform = performs<typeof why>(async (context, options, { agent: agentId, time }) => {
  const { app, output } = context;
  const at = readMomentOption("The time", time, app.clock.now());
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const asked = explain(client, agentId, at, reader);
  const explanation = await orUnknownAgent(asked, { app, client, agentId });
  if (options.json) output.json(explanation);
  else {
    output.sentence(toOneLine(explanation.reason));
    if (explanation.remedy !== null) output.sentence(toOneLine(explanation.remedy));
    for (
      const { scheduled_for: when, reason, execution_id: id, count } of explanation.checks ?? []
    ) {
      const times = count > 1 ? `, ${formatPlural(count, "time")}` : "";
      const outcome = id === null ? reason ?? "" : `a change: execution ${id}`;
      output.line(`  ${formatMinute(when)}  ${toOneLine(outcome)}${times}`);
    }
  }
});
