// One agent: what it is told to be, what it may do, its warnings, and its latest executions.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { AgentDetail } from "../../../schemas/agent_schemas.ts";
import type { ExecutionSummary } from "../../../schemas/execution_schemas.ts";
import { describeTrigger } from "../../../../present/triggers.ts";
import { BrokenAgents, describeFault, useBrokenAgents } from "./broken_agents.tsx";
import { ExecutionTable } from "./execution_table.tsx";
import { formatCost } from "../format.ts";
import { AgentName, Button, Empty, Figure, Unshown, When } from "../parts.tsx";
import { chatHref, historyHref, toHash } from "../route.ts";
import { RunDialog } from "../run_dialog.tsx";
import { useResource } from "../state/use_resource.ts";

const LATEST = 10;

/** The page of an agent. */
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
        // Its file never parsed since the service started.
        <article>
          <header class="view-head">
            <div>
              <p class="crumb">Agent</p>
              <h1>{id}</h1>
            </div>
          </header>
          <BrokenAgents files={broken} />
          <LatestRuns id={id} runs={runs.data} />
        </article>
      )
      : (
        <Unshown title={`Agent ${id}`} problem={problem}>
          <a href={toHash({ view: "agents" })}>All agents</a>
        </Unshown>
      );
  }
  return (
    <article>
      <header class="view-head">
        <div>
          <p class="crumb">Agent</p>
          <h1>
            <AgentName icon={agent.icon} name={agent.display_name} />
          </h1>
          {agent.description !== "" && <p class="lead" dir="auto">{agent.description}</p>}
        </div>
        <div class="actions">
          <Button class="primary" onClick={() => setRunning(true)}>Run</Button>
          <a class="button" href={chatHref(id)}>Chat</a>
        </div>
      </header>
      {agent.warnings.length > 0 && (
        <section class="problem" aria-label="Warnings">
          <ul>
            {agent.warnings.map((one) => (
              <li key={`${one.line} ${one.message}`}>{describeFault(one)}</li>
            ))}
          </ul>
        </section>
      )}
      <Configuration agent={agent} />
      <LatestRuns id={id} runs={runs.data} />
      {isRunning && <RunDialog agent={agent} onClose={() => setRunning(false)} />}
    </article>
  );
}

function LatestRuns({ id, runs }: { id: string; runs: ExecutionSummary[] | undefined }): VNode {
  return (
    <>
      <h2>
        Latest executions <a class="more" href={historyHref({ agent: id })}>all of them</a>
      </h2>
      {runs?.length === 0 && <Empty>It has never run.</Empty>}
      {runs !== undefined && runs.length > 0 && (
        <ExecutionTable executions={runs} isOfOneAgent label="Latest executions" />
      )}
    </>
  );
}

function Configuration({ agent }: { agent: AgentDetail }): VNode {
  const { settings } = agent;
  const limits = [
    `${settings.timeout} s for a reply`,
    settings.max_tool_calls !== null && `${settings.max_tool_calls} tool calls`,
    settings.max_execution_tokens !== null &&
    `${settings.max_execution_tokens.toLocaleString()} tokens`,
    settings.max_cost_usd !== null && formatCost(settings.max_cost_usd),
  ].filter((limit) => limit !== false);
  const lists: readonly (readonly [name: string, values: readonly string[]])[] = [
    ["Further tools", [...agent.custom_tools, ...agent.mcp.map((name) => `${name} (MCP)`)]],
    ["Skills", agent.skills],
    ["Delegates to", agent.agents],
  ];
  return (
    <dl class="figures">
      <Figure name="Trigger">
        {describeTrigger(agent, "full")}
        {!agent.enabled && <span class="tag">disabled</span>}
      </Figure>
      {agent.next_run !== null && (
        <Figure name="Next run">
          <When at={agent.next_run} />
        </Figure>
      )}
      <Figure name="Model">
        {agent.model_name === null ? "none" : `${agent.model_provider}/${agent.model_name}`}
      </Figure>
      <Figure name="Limits">{limits.join(", ")}</Figure>
      <Figure name="Asks before">{agent.confirm.join(", ") || "nothing"}</Figure>
      {lists.map(([name, values]) =>
        values.length > 0 && <Figure key={name} name={name}>{values.join(", ")}</Figure>
      )}
      <Figure name="File">
        <code class="path">{agent.source_path}</code>
      </Figure>
    </dl>
  );
}
