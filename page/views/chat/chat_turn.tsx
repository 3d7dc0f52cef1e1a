// One turn of a conversation: the person's message and the agent's answer, with live text and questions.
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../../api/schemas/request_schemas.ts";
import { formatCost, formatNumberOf } from "../../parts/format.ts";
import { Agent, LoadState, Problem, RelativeTime, Status } from "../../parts/parts.tsx";
import { executionHref } from "../../state/route.ts";
import { loadExecution } from "../../state/open_questions.ts";
import { buildTimeline, describeLatest } from "../../state/timeline.ts";
import { useExecutionLog } from "../../state/use_execution_log.ts";
import { useResource } from "../../state/use_resource.ts";
import { isOpen } from "../execution_actions.tsx";
import { PendingRequest } from "../pending_request.tsx";
import { FormattedText, StreamingText } from "../../parts/markdown.tsx";

/** Renders a turn. An ended execution is loaded once. */
export function ChatTurn(
  { execution }: { execution: Pick<ListedExecution, "id" | "agent_id" | "status"> },
): VNode {
  const { id, agent_id } = execution;
  const turn = useResource((client) => loadExecution(client, id), {
    key: String(id),
    topics: isOpen(execution) ? ["executions"] : [],
  });
  if (turn.data === undefined) return <LoadState of={turn} />;
  const { execution: data, pending } = turn.data;
  return (
    <article class="turn">
      <div class="mine">
        <h2 class="unseen">You</h2>
        <p class="said" dir="auto">
          {data.message ?? <span class="muted">Its usual task</span>}
        </p>
        {data.context !== null && data.context !== "" && (
          <p class="muted small said" dir="auto">{data.context}</p>
        )}
      </div>
      <h2 class="who">
        <Agent id={agent_id} />
      </h2>
      {isOpen(data) ? <Open id={id} isWaiting={data.status === "waiting"} pending={pending} /> : (
        <>
          {data.output_data !== null && data.output_data !== "" && (
            <FormattedText text={data.output_data} />
          )}
          {data.error !== null && <p class="problem" dir="auto">{data.error}</p>}
          {data.error === null && !data.output_data && <p class="muted">No answer.</p>}
        </>
      )}
      <p class="muted small about">
        {data.status !== "success" && <Status status={data.status} />}
        <RelativeTime at={data.started_at} />
        {data.tool_calls > 0 && <span>{formatNumberOf(data.tool_calls, "tool call")}</span>}
        {data.cost_usd !== null && <span>{formatCost(data.cost_usd)}</span>}
        <a href={executionHref(id)}>execution {id}</a>
      </p>
    </article>
  );
}

/** Renders the progress of an open turn: its replies and calls, the streaming text, and its question. */
function Open(
  { id, isWaiting, pending }: { id: number; isWaiting: boolean; pending: PendingBody | null },
): VNode {
  const { entries, streaming, problem } = useExecutionLog(id);
  const steps = useMemo(() => buildTimeline(entries), [entries]);
  return (
    <>
      {steps.map((step) =>
        step.kind === "reply" && (
          <div key={step.id} class="so-far">
            {step.text !== "" && <FormattedText text={step.text} />}
            {step.calls.length > 0 && (
              <p class="muted small">
                {step.calls.map(({ name, result }) =>
                  `${name}${result === null ? "" : result.isError ? " failed" : " done"}`
                ).join(", ")}
              </p>
            )}
          </div>
        )
      )}
      {streaming !== "" && <StreamingText text={streaming} />}
      {streaming === "" && !isWaiting && <p class="muted">{describeLatest(steps)} …</p>}
      <Problem text={problem} />
      {pending !== null && (
        <PendingRequest
          key={pending.request_id}
          pending={pending}
          level={3}
          title={
            <>
              <Agent id={pending.asked_by} /> asks
            </>
          }
        />
      )}
    </>
  );
}
