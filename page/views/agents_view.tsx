// The list of agents, each with its trigger, its next run, its last result, and a button that runs it.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { GALLERY_NAMES } from "../../present/gallery_names.ts";
import { describeTrigger } from "../../present/triggers.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { TextField, TriggerFilter } from "../parts/forms.tsx";
import { AgentName, Button, Empty, LoadState, RelativeTime, Status } from "../parts/parts.tsx";
import { StoppedTrigger } from "./stopped_trigger.tsx";
import { agentHref, executionHref, toHash } from "../state/route.ts";
import { usePerson } from "../state/service_context.ts";
import { RunDialog } from "../parts/run_dialog.tsx";
import type { Resource } from "../state/resource.ts";
import { BrokenAgents, useBrokenAgents } from "./broken_agents.tsx";

/** Renders the view of all agents. A long list has filters. */
export function AgentsView({ agents }: { agents: Resource<AgentSummary[]> }): VNode {
  const { mayEditFiles } = usePerson();
  const [wanted, setWanted] = useState("");
  const [kind, setKind] = useState("");
  const [running, setRunning] = useState<AgentSummary | null>(null);
  const all = agents.data ?? [];
  const shown = all.filter((agent) =>
    (kind === "" || triggerOf(agent) === kind) &&
    `${agent.id} ${agent.display_name} ${agent.description}`.toLowerCase().includes(
      wanted.toLowerCase(),
    )
  );
  return (
    <>
      <div class="view-head">
        <h1>Agents</h1>
        <div class="actions">
          {mayEditFiles && (
            <>
              <a class="button" href={newHref(null)}>New agent</a>
              <a class="button" href={toHash({ view: "files" })}>Files and gallery</a>
            </>
          )}
          {all.length > 5 && (
            <>
              <TriggerFilter
                kinds={all.map(triggerOf)}
                chosen={kind}
                onChoose={setKind}
              />
              <TextField
                label="Find"
                layout="inline"
                kind="filter"
                value={wanted}
                onInput={setWanted}
              />
            </>
          )}
        </div>
      </div>
      <LoadState of={agents} />
      {agents.data?.length === 0 && <NoAgents />}
      <BrokenAgents files={useBrokenAgents()} />
      <ul class="agents">
        {shown.map((agent) => (
          <li key={agent.id}>
            <AgentItem agent={agent} onRun={() => setRunning(agent)} />
          </li>
        ))}
      </ul>
      {running !== null && <RunDialog agent={running} onClose={() => setRunning(null)} />}
    </>
  );
}

/** Returns the trigger of an agent. An agent that runs after others has the trigger type `manual`. */
function triggerOf({ after, trigger_type: type }: AgentSummary): string {
  return type === "manual" && after.length > 0 ? "after" : type;
}

const newHref = (from: string | null) =>
  toHash({ view: "edit", place: { kind: "new", from, copy: null } });

/** Renders the text of an empty list of agents, with links to the first one. */
export function NoAgents(): VNode {
  const { mayEditFiles } = usePerson();
  if (!mayEditFiles) return <Empty>No agents yet.</Empty>;
  return (
    <Empty>
      No agents yet. <a href={newHref(null)}>Write one</a> (or use{" "}
      <code>inkling new</code>), or begin with a ready one: {GALLERY_NAMES.map((name, index) => (
        <>
          {index > 0 && ", "}
          <a href={newHref(name)}>{name}</a>
        </>
      ))}.
    </Empty>
  );
}

function AgentItem({ agent, onRun }: { agent: AgentSummary; onRun: () => void }): VNode {
  const { id, display_name, description, last_status, last_run, last_execution_id } = agent;
  return (
    <div class="agent">
      <div class="who">
        <h2>
          <a data-row href={agentHref(id)}>
            <AgentName of={agent} />
          </a>
          {!agent.enabled && <span class="tag">disabled</span>}
        </h2>
        {description !== "" && <p dir="auto" title={description}>{description}</p>}
        <p class="muted small when">
          {describeTrigger(agent, "full")}
          {agent.next_run !== null && (
            <>
              , next <RelativeTime at={agent.next_run} />
            </>
          )}
        </p>
        <StoppedTrigger agentId={id} reason={agent.trigger_paused} />
      </div>
      <div class="last">
        {last_status === null || last_run === null || last_execution_id === null
          ? <span class="muted small">no executions</span>
          : (
            <a href={executionHref(last_execution_id)}>
              <Status status={last_status} />{" "}
              <span class="muted small">
                <RelativeTime at={last_run} />
              </span>
            </a>
          )}
      </div>
      <Button aria-label={`Run ${display_name}`} onClick={onRun}>Run</Button>
    </div>
  );
}
