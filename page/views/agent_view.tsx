// The view of one agent: its configuration, its warnings and its latest executions.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { AgentDetail } from "../../api/schemas/agent_schemas.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { describeTrigger } from "../../present/triggers.ts";
import { AgentCharts } from "./agent/agent_charts.tsx";
import { AgentText } from "./agent/agent_text.tsx";
import { AgentTools } from "./agent/agent_tools.tsx";
import { Companions } from "./agent/companions.tsx";
import { LastChange } from "./agent/last_change.tsx";
import { BudgetBars } from "./budget_bars.tsx";
import { BrokenAgents, describeProblem, useBrokenAgents } from "./broken_agents.tsx";
import { ExecutionTable } from "./execution_table.tsx";
import { formatCost, formatRecent, zoneName } from "../parts/format.ts";
import { AgentName, Button, Empty, Figures, PagePlaceholder, ViewHead } from "../parts/parts.tsx";
import { chatHref, historyHref, toHash } from "../state/route.ts";
import { SignInButton } from "../parts/sign_in_button.tsx";
import { RunDialog } from "../parts/run_dialog.tsx";
import { useResource } from "../state/use_resource.ts";

const LATEST = 10;
/** The number of shown next runs. */
const SHOWN_NEXT = 3;

/** Renders the view of an agent. */
export function AgentView({ id }: { id: string }): VNode {
  const [isRunning, setRunning] = useState(false);
  const { data: agent, problem } = useResource((client) => client.agent(id), {
    key: id,
    topics: ["agents"],
  });
  const runs = useResource((client) => client.runs(id, { limit: LATEST }), {
    key: id,
    topics: ["executions"],
  });
  const broken = useBrokenAgents(problem !== null).filter((file) => file.id === id);
  if (agent === undefined || agent.id !== id) {
    return broken.length > 0
      ? (
        // The file has been invalid since the service started, so there is no earlier definition.
        <article>
          <ViewHead crumb="Agent" title={id} />
          <BrokenAgents files={broken} />
          <LastChange id={id} />
          <AgentText id={id} problems={broken.flatMap(({ diagnostics }) => diagnostics)} />
          <LatestRuns id={id} runs={runs.data} />
        </article>
      )
      : (
        <PagePlaceholder title={`Agent ${id}`} problem={problem}>
          <a href={toHash({ view: "agents" })}>All agents</a>
        </PagePlaceholder>
      );
  }
  return (
    <article>
      <ViewHead
        crumb="Agent"
        title={<AgentName of={agent} />}
        lead={agent.description}
      >
        <Button class="primary" onClick={() => setRunning(true)}>Run</Button>
        <a class="button" href={chatHref(id)}>Chat</a>
        <a class="button" href={toHash({ view: "edit", place: { kind: "agent", name: id } })}>
          Edit
        </a>
      </ViewHead>
      {agent.warnings.length > 0 && (
        <section class="problem" aria-label="Warnings">
          <ul>
            {agent.warnings.map((one) => (
              <li key={`${one.line} ${one.message}`}>{describeProblem(one)}</li>
            ))}
          </ul>
        </section>
      )}
      <LastChange id={id} />
      <Configuration agent={agent} />
      <BudgetBars agentId={id} />
      <AgentCharts id={id} />
      <LatestRuns id={id} runs={runs.data} />
      <section class="file-and-tools" aria-label="File and tools">
        <div>
          <AgentText id={id} problems={agent.warnings} />
          <Companions id={id} />
        </div>
        <AgentTools agent={agent} />
      </section>
      {isRunning && <RunDialog agent={agent} onClose={() => setRunning(false)} />}
    </article>
  );
}

/** Returns the next times of an agent's schedule. */
function useUpcoming({ id, next_run }: AgentDetail): readonly string[] {
  const { data } = useResource((client) => client.scheduler({ upcoming: SHOWN_NEXT }), {
    key: id,
    topics: ["scheduler", "agents", "executions"],
    isActive: next_run !== null,
  });
  return data?.jobs.find(({ agent_id }) => agent_id === id)?.upcoming ?? [];
}

function LatestRuns({ id, runs }: { id: string; runs: ExecutionSummary[] | undefined }): VNode {
  return (
    <>
      <h2>
        Latest executions <a class="more" href={historyHref({ agent: id })}>show all</a>
      </h2>
      {runs?.length === 0 && <Empty>No executions yet.</Empty>}
      {runs !== undefined && runs.length > 0 && (
        <ExecutionTable executions={runs} isOfOneAgent label="Latest executions" />
      )}
    </>
  );
}

function describeShell(
  { allow, deny, net, env, timeout }: NonNullable<AgentDetail["shell"]>,
): string {
  const lists = Object.entries({ allow, deny, net, env }).filter(([, list]) => list.length > 0);
  const words = lists.map(([name, list]) => `${name}: ${list.join(", ")}`);
  return [...words, `timeout: ${timeout}`].join("; ");
}

function describeMail({ account, to }: NonNullable<AgentDetail["mail"]>): string {
  return to === null ? account : `${account}, only to ${to.join(", ")}`;
}

/** The words for the state of a sign-in. */
const SIGN_IN_WORDS = { done: "signed in", needed: "needs a sign-in", none: "not signed in" };

/** Renders the MCP servers of an agent, with the state of their sign-ins. */
function McpServers({ names }: { names: readonly string[] }): VNode {
  const { data: signIns } = useResource((client) => client.signIns(), {
    key: names.join(),
    topics: ["agents", "executions"],
  });
  return (
    <>
      {names.map((name) => {
        const state = signIns?.find(({ server }) => server === name)?.state;
        return (
          <div key={name}>
            {name} {state !== undefined && <span class="muted">{SIGN_IN_WORDS[state]}</span>}{" "}
            {(state === "needed" || state === "none") && <SignInButton server={name} />}
          </div>
        );
      })}
    </>
  );
}

/** Returns the place of a time zone: `Berlin` for `Europe/Berlin`. */
function placeOf({ trigger }: AgentDetail): string {
  const zone = trigger.type === "schedule" ? trigger.timezone : null;
  return zone === null ? "" : `, ${zone.split("/").at(-1)?.replaceAll("_", " ")}`;
}

function Configuration({ agent }: { agent: AgentDetail }): VNode {
  const { settings } = agent;
  const next = useUpcoming(agent);
  const limits = [
    `${settings.timeout} s per reply`,
    settings.max_tool_calls !== null && `${settings.max_tool_calls} tool calls`,
    settings.max_execution_tokens !== null &&
    `${settings.max_execution_tokens.toLocaleString()} tokens`,
    settings.max_cost_usd !== null && formatCost(settings.max_cost_usd),
  ].filter((limit) => limit !== false);
  const model = agent.model_name === null ? "none" : `${agent.model_provider}/${agent.model_name}`;
  const list = (values: readonly string[]) => values.length === 0 ? null : values.join(", ");
  return (
    <Figures
      of={{
        Trigger: (
          <>
            {describeTrigger(agent, "full")}
            {placeOf(agent)}
            {!agent.enabled && <span class="tag">disabled</span>}
          </>
        ),
        "Next runs": next.length === 0 ? null : (
          <span title={zoneName()}>
            {next.map((at) => formatRecent(Date.parse(at))).join("; ")}
          </span>
        ),
        Model: model,
        Limits: limits.join(", "),
        "Needs approval": list(agent.confirm) ?? "nothing",
        "Other tools": list(agent.custom_tools),
        "MCP servers": agent.mcp.length === 0 ? null : <McpServers names={agent.mcp} />,
        Shell: agent.shell && describeShell(agent.shell),
        Mail: agent.mail && describeMail(agent.mail),
        Skills: list(agent.skills),
        "Delegates to": list(agent.agents),
        File: <code class="path">{agent.source_path}</code>,
      }}
    />
  );
}
