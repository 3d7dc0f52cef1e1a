// The view of one execution: its key values, its open question, its tree, its timeline, and the calls of a dry run.
import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { toLabelWords } from "../../base/text/label_words.ts";
import { toPauseSentence } from "../../base/text/rest_words.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { ExecutionButton, isOpen, RunAgain } from "./execution_actions.tsx";
import { loadExecution } from "../state/open_questions.ts";
import { DelegationTree, ForkOrigin } from "./delegation_tree.tsx";
import { useFollowEnd } from "../parts/follow_end.ts";
import { ForkDialog, type ForkPlace } from "../parts/run_dialog.tsx";
import { formatCost, formatCount, formatDuration, formatNumberOf } from "../parts/format.ts";
import {
  Agent,
  Figures,
  LoadState,
  PagePlaceholder,
  Problem,
  RelativeTime,
  Status,
  ViewHead,
} from "../parts/parts.tsx";
import { PendingRequest } from "./pending_request.tsx";
import { agentHref, chatHref, executionHref, historyHref } from "../state/route.ts";
import { useAgents } from "../state/service_context.ts";
import { buildTimeline, type Entry } from "../state/timeline.ts";
import { Timeline } from "./timeline_view.tsx";
import { Waterfall } from "./waterfall_view.tsx";
import { useExecutionLog } from "../state/use_execution_log.ts";
import { useNow, useResource } from "../state/use_resource.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import { type DescribedCall, describedOf } from "../../present/payload.ts";
import { toVisible } from "../../present/visible_text.ts";
import { Diff } from "./approval/diff_view.tsx";

/**
 * The interval in milliseconds between reloads while the execution waits for a node. No event reports the end of this wait.
 */
const NODE_WAIT_RELOAD_MS = 5_000;

/** Renders the view of an execution. */
export function ExecutionView({ id, step }: { id: number; step: number | null }): VNode {
  const [reloadKey, setReloadKey] = useState(0);
  const now = useNow(MINUTE_MS);
  const { data, problem, isStale } = useResource((client) => loadExecution(client, id), {
    key: String(id),
    topics: ["executions"],
    reloadKey,
  });
  if (data === undefined || isStale) {
    return (
      <PagePlaceholder title={`Execution ${id}`} problem={problem}>
        <a href={historyHref()}>Whole history</a>
      </PagePlaceholder>
    );
  }
  const { execution, pending } = data;
  const pause = toPauseSentence(execution, now);
  return (
    <article>
      <ViewHead
        crumb={
          <>
            Execution {id}
            {execution.dry_run && " · dry run"}
          </>
        }
        title={
          <a href={agentHref(execution.agent_id)}>
            <Agent id={execution.agent_id} />
          </a>
        }
        stays={isOpen(execution)}
      >
        <Status status={execution.status} />
        {pause !== undefined && <ExecutionButton id={execution.id} act="wake" />}
        {isOpen(execution)
          ? <ExecutionButton id={execution.id} act="cancel" />
          : <RunAgain execution={execution} />}
      </ViewHead>
      <ExecutionFigures execution={execution} />
      {execution.waits_for_labels !== undefined && (
        <NodeWait labels={execution.waits_for_labels} onReload={setReloadKey} />
      )}
      {pause !== undefined && <p class="note" dir="auto">{pause}</p>}
      {pending !== null && (
        <PendingRequest
          key={pending.request_id}
          pending={pending}
          level={2}
          title={<>Waiting for your answer</>}
        />
      )}
      {execution.error !== null && <p class="problem" dir="auto">{execution.error}</p>}
      <DelegationTree execution={execution} />
      <ExecutionLogSection execution={execution} step={step} />
    </article>
  );
}

/** Renders the note that no live node can run the execution. Requests regular reloads. */
function NodeWait(
  { labels, onReload }: { labels: readonly string[]; onReload: (now: number) => void },
): VNode {
  const now = useNow(NODE_WAIT_RELOAD_MS);
  useEffect(() => onReload(now), [now]);
  return <p class="note">Waits for a node with {toLabelWords(labels)}</p>;
}

function ExecutionLogSection(
  { execution, step }: { execution: ExecutionDetail; step: number | null },
): VNode {
  const { id, agent_id, status, started_at, duration_ms, waits_for_labels: labels } = execution;
  const agent = useAgents().get(agent_id);
  const { entries, streaming, problem } = useExecutionLog(id);
  const steps = useMemo(() => buildTimeline(entries), [entries]);
  const [forked, setForked] = useState<ForkPlace | null>(null);
  // An execution that waits for a node does not run yet, and a resting one does not run now.
  const isRunning = status === "running" && labels === undefined &&
    execution.rests_until === undefined;
  const log = useFollowEnd<HTMLElement>(id, isRunning);
  const startedAt = Date.parse(started_at);
  return (
    <section aria-labelledby="happened" ref={log}>
      <h2 id="happened" class="unseen">Timeline</h2>
      {steps.length === 0 && labels === undefined
        ? <LoadState of={{ data: undefined, problem, isStale: false }} />
        : <Problem text={problem} />}
      <Waterfall
        execution={execution}
        entries={entries}
        startedAt={startedAt}
        endedAt={isOpen(execution) ? null : startedAt + (duration_ms ?? 0)}
      />
      <Timeline
        steps={steps}
        executionId={id}
        wantedStep={step}
        startedAt={startedAt}
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
      {execution.dry_run && <DryRunCalls executionId={id} entries={entries} />}
    </section>
  );
}

function ExecutionFigures({ execution }: { execution: ExecutionDetail }): VNode {
  const { children, forked_from: origin, session_id: session, args, total_tokens } = execution;
  const [input, output] = [execution.input_tokens, execution.output_tokens]
    .map((count) => count.toLocaleString());
  const delegated = formatNumberOf(children.count + 1, "execution");
  return (
    <Figures
      of={{
        Started: <RelativeTime at={execution.started_at} />,
        Duration: <Duration execution={execution} />,
        Trigger: execution.trigger,
        Model: execution.model || "none",
        Tokens: (
          <span title={`${input} in, ${output} out`}>
            {total_tokens === null ? "unknown" : formatCount(total_tokens)}
          </span>
        ),
        Cost: formatCost(execution.cost_usd),
        "Tool calls": formatCount(execution.tool_calls),
        "Total with delegated": children.count === 0
          ? null
          : `${formatCost(execution.total_cost_usd)} in ${delegated}`,
        "Forked from": origin && <ForkOrigin from={origin} />,
        Conversation: session === null ? null : (
          <a href={chatHref(execution.agent_id, session)}>
            <bdi class="ellipsis">{session}</bdi>
          </a>
        ),
        Arguments: args.length === 0 ? null : <bdi>{args.join(" · ")}</bdi>,
      }}
    />
  );
}

/** Renders the duration without waits and rests, or the time since the start while the execution runs. */
function Duration({ execution }: { execution: ExecutionDetail }): VNode {
  const isRunning = execution.status === "running" && execution.rests_until === undefined;
  const now = useNow(1_000, isRunning);
  const ms = isRunning ? now - Date.parse(execution.started_at) : execution.duration_ms ?? 0;
  return <>{formatDuration(ms)}</>;
}

/** Renders the calls that a dry run described instead of making them, with their file changes. */
function DryRunCalls(
  { executionId, entries }: { executionId: number; entries: readonly Entry[] },
): VNode | null {
  const calls = useMemo(() => entries.flatMap(({ payload }) => describedOf(payload)), [entries]);
  if (entries.length === 0) return null;
  // False until the whole log is loaded.
  const isWhole = entries.at(-1)?.payload["event_type"] === "complete";
  return (
    <section class="would-do" aria-labelledby="would-do">
      <h2 id="would-do">Would have done</h2>
      <p class="muted">
        {calls.length > 0
          ? "This is a dry run: none of these calls was made."
          : `This is a dry run. ${isWhole ? "" : "So far, "}it had nothing to change.`}
      </p>
      {calls.map((call, index) => (
        <DescribedCallItem key={index} call={call} number={index + 1} executionId={executionId} />
      ))}
    </section>
  );
}

function DescribedCallItem(
  { call, number, executionId }: { call: DescribedCall; number: number; executionId: number },
): VNode {
  const { summary, toolName, diff, problem, agentId, executionId: of } = call;
  return (
    <div class="call">
      <h3>
        <code>{toolName}</code>
        {of !== undefined && of !== executionId && (
          <a href={executionHref(of)}>
            <bdi>{agentId}</bdi>, execution {of}
          </a>
        )}
      </h3>
      <p class="excerpt" dir="auto">{toVisible(summary)}</p>
      {problem !== "" && <p class="muted" dir="auto">{toVisible(problem)}</p>}
      {diff !== "" && (
        <Diff
          diff={diff}
          label={`Change of call ${number}: ${toVisible(summary)}`}
        />
      )}
    </div>
  );
}
