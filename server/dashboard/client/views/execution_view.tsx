// One execution: its figures, the question that it waits for, its place among those that delegated to it, its timeline.
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { toLabelWords } from "../../../../base/text/label_words.ts";
import type { Client } from "../../../client.ts";
import type { AgentSummary } from "../../../schemas/agent_schemas.ts";
import type { ExecutionDetail } from "../../../schemas/execution_schemas.ts";
import type { PendingBody } from "../../../schemas/request_schemas.ts";
import { type AgentsById, labelOf } from "../state/agents_by_id.ts";
import { CancelButton, isOpen, RunAgain } from "./execution_actions.tsx";
import { loadPending } from "../state/pending_list.ts";
import { DelegationTree, ForkOrigin } from "./delegation_tree.tsx";
import { ForkDialog, type ForkPlace } from "../fork_dialog.tsx";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "../format.ts";
import { AgentName, Figure, Loading, Problem, Status, Unshown, When } from "../parts.tsx";
import { PendingRequest } from "./pending_request.tsx";
import { toHash, WHOLE_HISTORY } from "../route.ts";
import { useService } from "../state/service_context.ts";
import { buildTimeline } from "../state/timeline.ts";
import { Timeline } from "./timeline_view.tsx";
import { Waterfall } from "./waterfall_view.tsx";
import { WouldDo } from "./would_do.tsx";
import { useExecutionLog } from "../state/use_execution_log.ts";
import { useNow, useResource } from "../state/use_resource.ts";

/** Nothing says that a node has taken it. */
const NODE_LOOK_MS = 5_000;

/** The page of an execution. */
export function ExecutionView(
  { id, step, agents }: { id: number; step: number | null; agents: AgentsById },
): VNode {
  const { client } = useService();
  const [beat, setBeat] = useState(0);
  const { data, problem, isStale } = useResource(() => loadExecution(client, id), {
    key: String(id),
    topics: ["executions"],
    beat,
  });
  if (data === undefined || isStale) {
    return (
      <Unshown title={`Execution ${id}`} problem={problem}>
        <a href={toHash(WHOLE_HISTORY)}>Whole history</a>
      </Unshown>
    );
  }
  const { execution, pending } = data;
  const { icon, name } = labelOf(agents, execution.agent_id);
  return (
    <article>
      <header class={`view-head ${isOpen(execution) ? "stays" : ""}`}>
        <div>
          <p class="crumb">
            Execution {id}
            {execution.dry_run && " · dry run"}
          </p>
          <h1>
            <a href={toHash({ view: "agent", id: execution.agent_id })}>
              <AgentName icon={icon} name={name} />
            </a>
          </h1>
        </div>
        <div class="actions">
          <Status status={execution.status} />
          {isOpen(execution)
            ? <CancelButton id={execution.id} />
            : <RunAgain execution={execution} agent={agents.get(execution.agent_id)} />}
        </div>
      </header>
      <Figures execution={execution} />
      {execution.waits_for_labels !== undefined && (
        <NodeWait labels={execution.waits_for_labels} onLook={setBeat} />
      )}
      {pending !== null && (
        <PendingRequest
          key={pending.request_id}
          pending={pending}
          level={2}
          title={<>Waiting for your answer</>}
        />
      )}
      {execution.error !== null && <p class="problem" dir="auto">{execution.error}</p>}
      <DelegationTree execution={execution} agents={agents} />
      <LogOf execution={execution} step={step} agent={agents.get(execution.agent_id)} />
    </article>
  );
}

/** That no living node may run it; asks for a look whether that is still so. */
function NodeWait(
  { labels, onLook }: { labels: readonly string[]; onLook: (beat: number) => void },
): VNode {
  const now = useNow(NODE_LOOK_MS);
  useEffect(() => onLook(now), [now]);
  return <p class="note">Waits for a node with {toLabelWords(labels)}</p>;
}

async function loadExecution(
  client: Client,
  id: number,
): Promise<{ execution: ExecutionDetail; pending: PendingBody | null }> {
  const execution = await client.execution(id);
  const pending = execution.status === "waiting" ? await loadPending(client, id) : null;
  return { execution, pending };
}

function LogOf(
  { execution, step, agent }: {
    execution: ExecutionDetail;
    step: number | null;
    agent: AgentSummary | undefined;
  },
): VNode {
  const { entries, streaming, problem } = useExecutionLog(execution.id);
  const steps = useMemo(() => buildTimeline(entries), [entries]);
  const [forked, setForked] = useState<ForkPlace | null>(null);
  // What waits for a node has no model to wait for yet.
  const isRunning = execution.status === "running" && execution.waits_for_labels === undefined;
  useStayAtEnd(isRunning, [steps, streaming]);
  return (
    <section aria-labelledby="happened">
      <h2 id="happened" class="unseen">What happened</h2>
      {steps.length === 0 && problem === null && execution.waits_for_labels === undefined && (
        <Loading />
      )}
      {problem !== null && <Problem text={problem} />}
      <Waterfall
        executionId={execution.id}
        entries={entries}
        startedAt={Date.parse(execution.started_at)}
        endedAt={isOpen(execution) ? null : endOf(execution)}
      />
      <Timeline
        steps={steps}
        executionId={execution.id}
        wantedStep={step}
        startedAt={Date.parse(execution.started_at)}
        isRunning={isRunning}
        streaming={streaming}
        onFork={agent === undefined ? undefined : setForked}
      />
      {forked !== null && agent !== undefined && (
        <ForkDialog
          execution={execution}
          agent={agent}
          from={forked}
          onClose={() => setForked(null)}
        />
      )}
      {execution.dry_run && <WouldDo executionId={execution.id} entries={entries} />}
    </section>
  );
}

function Figures({ execution }: { execution: ExecutionDetail }): VNode {
  const { children, total_cost_usd } = execution;
  return (
    <dl class="figures">
      <Figure name="Started">
        <When at={execution.started_at} />
      </Figure>
      <Figure name="Duration">
        <Duration execution={execution} />
      </Figure>
      <Figure name="Trigger">{execution.trigger}</Figure>
      <Figure name="Model">{execution.model || "none"}</Figure>
      <Figure name="Tokens">
        <span
          title={`${execution.input_tokens.toLocaleString()} in, ` +
            `${execution.output_tokens.toLocaleString()} out`}
        >
          {execution.total_tokens === null ? "unknown" : formatCount(execution.total_tokens)}
        </span>
      </Figure>
      <Figure name="Cost">{formatCost(execution.cost_usd)}</Figure>
      <Figure name="Tool calls">{formatCount(execution.tool_calls)}</Figure>
      {children.count > 0 && (
        <Figure name="With delegated">
          {formatCost(total_cost_usd)} in {formatNumberOf(children.count + 1, "execution")}
        </Figure>
      )}
      {execution.forked_from !== null && (
        <Figure name="Forked from">
          <ForkOrigin from={execution.forked_from} />
        </Figure>
      )}
      {execution.session_id !== null && (
        <Figure name="Conversation">
          <a
            href={toHash({
              view: "chat",
              agent: execution.agent_id,
              session: execution.session_id,
            })}
          >
            <bdi class="ellipsis">{execution.session_id}</bdi>
          </a>
        </Figure>
      )}
      {execution.args.length > 0 && (
        <Figure name="Arguments">
          <bdi>{execution.args.join(" · ")}</bdi>
        </Figure>
      )}
    </dl>
  );
}

/** The time it ran, without waits; while it runs, the time since it began. */
function Duration({ execution }: { execution: ExecutionDetail }): VNode {
  const isRunning = execution.status === "running";
  const now = useNow(1_000, isRunning);
  const ms = isRunning ? now - Date.parse(execution.started_at) : execution.duration_ms ?? 0;
  return <>{formatDuration(ms)}</>;
}

/** Where its waterfall ends if the log does not say so; milliseconds since the epoch. */
function endOf({ started_at, duration_ms }: ExecutionDetail): number {
  return Date.parse(started_at) + (duration_ms ?? 0);
}

/** The distance from the end that still counts as the end, in pixels. */
const NEAR = 80;

/** Keeps the end of the page in sight while `isGrowing`, unless the reader left it. */
function useStayAtEnd(isGrowing: boolean, grown: readonly unknown[]): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - scrollTop < NEAR;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useEffect(() => {
    if (isGrowing && isAtEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [isGrowing, ...grown]);
}
