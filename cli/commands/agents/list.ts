// `inkling list`: prints the agents of the workspace, and the problems of their files and triggers.
import { performs } from "../../command_line/command.ts";
import type { list } from "../../declarations/agent_commands.ts";
import { describeReadiness, needsReadiness } from "../../../present/readiness.ts";
import { describeTrigger, isAutomatic } from "../../../present/triggers.ts";
import { toPauseWords } from "../../../base/text/rest_words.ts";
import type { AgentSummary } from "../../../api/schemas/agent_schemas.ts";
import type { Client } from "../../../api/client/client.ts";
import type { CommandContext } from "../../context/context.ts";
import { showNearBudgets } from "../../output/reports/budget_text.ts";
import { hasLivingNode } from "../../output/reports/nodes.ts";
import type { Output } from "../../output/output.ts";
import { errorsOf } from "../../../base/diagnostics.ts";
import {
  NOT_RUNNING,
  showConfigWarnings,
  showNodeWaits,
  showPauses,
  showProblems,
  showUnreachableWebhooks,
} from "../../output/problems.ts";
import { paintStatus } from "../../output/run/history.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { NOTHING } from "../../output/table.ts";
import { formatRelative } from "../../output/time.ts";
import { shorten } from "../../output/width.ts";
import { describeNextRun, describeState } from "../../output/trigger_text.ts";
import { readFirst } from "../../service/connection.ts";
import { assessReadiness } from "../../service/readiness.ts";

/** Prints a table of all agents, and warnings about them. */
export const perform = performs<typeof list>(async (context, options) => {
  const { app, output } = context;
  const request = (client: Client, call: { signal?: AbortSignal }) =>
    client.agents({ day: options.json !== true, fresh: true }, call);
  const { reader, answer: agents } = await readFirst(app, request, context);
  await using _ = reader;
  const { client } = reader;
  if (options.json) return output.json(agents);
  const info = await client.info();
  const { agent_errors: broken, agent_warnings: doubtful } = info;
  if (agents.length > 0) showAgents(output, agents, app.clock.now());
  else if (broken.length === 0) await showFirstSteps(context);
  for (const { diagnostics } of broken) showProblems(output, diagnostics);
  for (const { diagnostics } of doubtful) {
    showProblems(output, output.quiet ? errorsOf(diagnostics) : diagnostics);
  }
  if (output.quiet) return;
  showConfigWarnings(output, info.config_warnings);
  showPauses(output, agents, info.scheduler_status);
  showNodeWaits(output, agents);
  if (reader.isService) showUnreachableWebhooks(output, agents, info.transports);
  showNearBudgets(output, await client.budgets(), app.clock.now());
  // With a shared database, the service of another node fires the triggers.
  if (!agents.some(isAutomatic) || !reader.isService && hasLivingNode(info)) return;
  if (!reader.isService) {
    output.note(NOT_RUNNING);
  }
  if (!needsReadiness(agents)) return;
  const facts = { isRunning: reader.isService, info, agents };
  output.note(describeReadiness(assessReadiness(app, facts)));
});

function showAgents(
  output: Output,
  agents: readonly AgentSummary[],
  now: number,
): void {
  const { style } = output;
  const hasNextRun = agents.some((agent) => describeNextRun(agent, now) !== "-");
  const paintState = (cell: string, value: string) =>
    value === "enabled"
      ? style.green(cell)
      : value === "paused"
      ? style.yellow(cell)
      : style.dim(cell);
  const hasDay = agents.some((agent) => describeDay(agent) !== NOTHING);
  output.table(agents, [
    { header: "Id", cell: ({ id }) => id, shrinks: true, paint: style.bold },
    { header: "Display Name", cell: ({ display_name: name }) => name, shrinks: true },
    { header: "Trigger", cell: (agent) => describeTrigger(agent, "terse"), shrinks: true },
    {
      header: "Last Run",
      cell: (agent) => describeLastRun(agent, now),
      paint: (cell, value) => paintLastRun(output, cell, value),
    },
    hasDay && { header: "24 h", cell: describeDay, align: "right" },
    { header: "Status", cell: describeState, paint: paintState },
    hasNextRun && { header: "Next Run", cell: (agent) => describeNextRun(agent, now) },
  ]);
}

/** The maximum width of the words about a rest. */
const REST_WIDTH = 48;

/** Returns the time of the last run, or its rest. Any status except success precedes the time. */
function describeLastRun(agent: AgentSummary, now: number): string {
  if (agent.last_run === null) return "never";
  const pause = toPauseWords(agent, now);
  if (pause !== undefined) return shorten(toOneLine(pause), REST_WIDTH);
  const at = formatRelative(agent.last_run, now);
  return agent.last_status === "success" ? at : `${agent.last_status} ${at}`;
}

function paintLastRun(output: Output, cell: string, value: string): string {
  if (value === "never") return output.style.dim(cell);
  const status = /^[a-z]+(?= \w)/.exec(value)?.[0] ?? "success";
  return paintStatus(output, cell, status === "just" ? "success" : status);
}

/** Returns the percentage of successful runs in the last 24 hours, or NOTHING if no run ended. */
function describeDay({ last_day: day }: AgentSummary): string {
  if (day === undefined || day.ended === 0) return NOTHING;
  return `${Math.floor(100 * day.succeeded / day.ended)} %`;
}

async function showFirstSteps(context: CommandContext): Promise<void> {
  const { app, output } = context;
  const { agentsDir, workspace, configFile, configFileExists } = await app.info(
    context,
  );
  if (configFileExists && await app.missingWorkspace(workspace) !== undefined) {
    const [folder, file] = [workspace, configFile].map(toOneLine);
    output.sentence(
      `The workspace ${folder} does not exist: create the folder, or set another one in ${file}`,
    );
    return;
  }
  output.sentence(`There are no agents in ${toOneLine(agentsDir)} yet`);
  output.detail('"inkling new <name>" creates one');
}
