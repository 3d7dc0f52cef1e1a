// list: the agents of the workspace, and what is wrong with their files.
import { ApiError, type Client } from "../../server/client.ts";
import type { AgentSummary, DiagnosticBody } from "../../server/schemas.ts";
import { type CommandContext, workspaceOf } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { Output } from "../output/output.ts";
import { toOneLine } from "../output/sanitise.ts";
import { formatRelative } from "../output/time.ts";
import { openReader } from "../connection.ts";

/** Shows every agent. */
export async function list(
  context: CommandContext,
  options: { json?: true },
): Promise<ExitCode> {
  const { app, output, workspace } = context;
  await using reader = await openReader(app, workspace);
  const agents = await reader.client.agents();
  if (options.json) {
    output.json(agents);
    return EXIT.ok;
  }
  const { agent_errors: broken } = await reader.client.info();
  if (agents.length > 0) showAgents(output, agents, app.clock.now());
  else if (broken.length === 0) await showFirstSteps(context);
  for (const { diagnostics } of broken) showProblems(output, diagnostics);
  if (!output.quiet) {
    for (const warnings of await readWarnings(reader.client, agents)) {
      showProblems(output, warnings);
    }
  }
  return EXIT.ok;
}

function showAgents(output: Output, agents: readonly AgentSummary[], now: number): void {
  const { style } = output;
  output.table(
    [
      { header: "Id", shrinks: true, paint: style.bold },
      { header: "Display Name", shrinks: true },
      { header: "Trigger", shrinks: true },
      { header: "Last Run" },
      {
        header: "Status",
        paint: (cell, value) => value === "enabled" ? style.green(cell) : style.dim(cell),
      },
    ],
    agents.map((agent) => [
      agent.id,
      agent.display_name,
      describeTrigger(agent),
      agent.last_run === null ? "never" : formatRelative(agent.last_run, now),
      agent.enabled ? "enabled" : "disabled",
    ]),
  );
}

function describeTrigger(agent: AgentSummary): string {
  switch (agent.trigger_type) {
    case "manual":
      return "manual";
    case "schedule":
      return agent.trigger_every === null
        ? `cron ${agent.trigger_cron ?? ""}`
        : `every ${agent.trigger_every}`;
    case "watch":
      return `watch ${(agent.trigger_paths ?? []).join(", ")}`;
    default:
      return agent.trigger_type satisfies never;
  }
}

/** One line for the problems of one file: the first, and how many there are more. */
function showProblems(output: Output, diagnostics: readonly DiagnosticBody[]): void {
  const [first] = diagnostics.toSorted((a, b) => rank(a) - rank(b));
  if (first === undefined) return;
  const { path, line, column, message, severity } = first;
  const more = diagnostics.length - 1;
  const { red, yellow } = output.errorStyle;
  const mark = severity === "error" ? red("Error:") : yellow("Warning:");
  const rest = more === 0 ? "" : ` (and ${more} more: inkling validate)`;
  output.errorLine(`${mark} ${toOneLine(`${path}:${line}:${column}: ${message}`)}${rest}`);
}

function rank({ severity }: DiagnosticBody): number {
  return severity === "error" ? 0 : 1;
}

const DETAILS_AT_ONCE = 8;

/** The warnings of each agent that has some, in the order of the agents. */
async function readWarnings(
  client: Client,
  agents: readonly AgentSummary[],
): Promise<DiagnosticBody[][]> {
  const found: DiagnosticBody[][] = [];
  for (let start = 0; start < agents.length; start += DETAILS_AT_ONCE) {
    const group = agents.slice(start, start + DETAILS_AT_ONCE);
    const warnings = await Promise.all(group.map(({ id }) => readWarningsOf(client, id)));
    found.push(...warnings.filter(({ length }) => length > 0));
  }
  return found;
}

async function readWarningsOf(client: Client, id: string): Promise<DiagnosticBody[]> {
  try {
    return (await client.agent(id)).warnings;
  } catch (error) {
    // Its file was removed since the list was made.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

async function showFirstSteps(context: CommandContext): Promise<void> {
  const { app, output } = context;
  const { agentsDir } = await app.info(workspaceOf(context));
  output.line(`There are no agents in ${toOneLine(agentsDir)} yet`);
  if (output.quiet) return;
  output.line(
    [
      "",
      "An agent is a Markdown file there: its name is the agent's id, its text the task. A first one,",
      "which needs no key because its model only repeats what it is told; save it as hello.md:",
      "",
      "  ---",
      "  model: {provider: demo, name: echo}",
      "  ---",
      "  Say hello.",
      "",
      'and run it: inkling run hello --message "Hello, world"',
    ].join("\n"),
  );
}
