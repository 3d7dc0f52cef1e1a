// The start page: open questions, the recap since the last visit, running executions, and the next runs.
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { endOf } from "../../base/text/cut_text.ts";
import { toPauseSentence } from "../../base/text/rest_words.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { ExecutionTable } from "./execution_table.tsx";
import { foldFailures } from "../state/fold_failures.ts";
import { formatDuration, formatNumberOf } from "../parts/format.ts";
import { Empty, ExecutionLink, Loading, Problem } from "../parts/parts.tsx";
import { PendingRequest } from "./pending_request.tsx";
import { RecapFailures, RecapFigures, RecapNext, RecapStops } from "./recap_view.tsx";
import type { RecapOfSpan } from "../state/use_recap.ts";
import type { OpenQuestions } from "../state/open_questions.ts";
import { historyHref, toHash } from "../state/route.ts";
import { buildTimeline, describeLatest } from "../state/timeline.ts";
import { useExecutionLog } from "../state/use_execution_log.ts";
import type { Resource } from "../state/resource.ts";
import { useNow, useResource } from "../state/use_resource.ts";

const MOST_RUNNING = 20;
/**
 * The maximum number of executions that are streamed, because a browser opens only six connections to one host for all its
 * pages.
 */
const MOST_STREAMED = 2;
/** The number of characters of a streamed text that fit in a card. */
const STREAMED_CHARACTERS = 600;
const RECENT = 8;
/** The number of ended executions to load. Repeated failures among these executions are merged into one row. */
const RECENT_LOADED = 60;

/** Returns the running and the ended executions. Loads them only while `isActive`; the last loaded data remains. */
export function useExecutionLists(
  isActive: boolean,
): Record<"running" | "ended", Resource<ExecutionSummary[]>> {
  const topics = ["executions"] as const;
  const running = useResource(
    (client) => client.executions({ status: ["running"], limit: MOST_RUNNING }),
    { topics, isActive },
  );
  const ended = useResource(
    (client) =>
      client.executions({
        status: ["success", "error", "aborted", "timeout", "orphaned"],
        preview: true,
        limit: RECENT_LOADED,
      }),
    { topics, isActive },
  );
  return { running, ended };
}

/** Renders the start page. */
export function NowView(
  { waiting, running, ended, happened }: ReturnType<typeof useExecutionLists> & {
    waiting: Resource<OpenQuestions>;
    happened: RecapOfSpan;
  },
): VNode {
  const recap = happened.recap.data;
  const problem = waiting.problem ?? running.problem ?? ended.problem ?? happened.recap.problem;
  return (
    <>
      <h1 class="unseen">Now</h1>
      <Problem text={problem} />
      <div class="now">
        {waiting.data !== undefined && waiting.data.questions.length > 0 && (
          <section class="asked" aria-labelledby="waiting">
            <h2 id="waiting">Waiting for you</h2>
            {waiting.data.questions.map(({ pending, execution: { id, agent_id } }) => (
              <PendingRequest
                key={pending.request_id}
                pending={pending}
                level={3}
                title={<ExecutionLink id={id} agentId={agent_id} />}
              />
            ))}
            {waiting.data.hasMore && (
              <p>
                There are older questions. <a href={historyHref({ status: "waiting" })}>Show all</a>
              </p>
            )}
          </section>
        )}
        <div class="state">
          <RecapFigures of={happened} />
          {recap === undefined && problem === null && <Loading />}
          {recap !== undefined && (
            <div aria-busy={happened.recap.isStale}>
              <RecapFailures recap={recap} />
            </div>
          )}
          <Running running={running} />
          {recap !== undefined && (
            <>
              <RecapNext recap={recap} />
              <RecapStops recap={recap} />
            </>
          )}
        </div>
        <Ended ended={ended} />
      </div>
    </>
  );
}

function Running({ running }: { running: Resource<ExecutionSummary[]> }): VNode {
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running</h2>
      {running.data === undefined && running.problem === null && <Loading />}
      {running.data?.length === 0 && (
        <Empty>
          Nothing is running. <a href={toHash({ view: "agents" })}>Run an agent</a>
        </Empty>
      )}
      <ul class="running">
        {running.data?.map((execution, index) => (
          <li key={execution.id}>
            <RunningExecution execution={execution} isStreamed={index < MOST_STREAMED} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Ended({ ended }: { ended: Resource<ExecutionSummary[]> }): VNode {
  const shown = foldFailures(ended.data ?? []).slice(0, RECENT);
  return (
    <section class="ended" aria-labelledby="ended">
      <h2 id="ended">
        Recently ended <a class="more" href={historyHref()}>show all</a>
      </h2>
      {ended.data === undefined && ended.problem === null && <Loading />}
      {ended.data?.length === 0 && <Empty>No executions yet.</Empty>}
      {shown.length > 0 && <ExecutionTable executions={shown} isBrief label="Recently ended" />}
    </section>
  );
}

function RunningExecution(
  { execution, isStreamed }: { execution: ExecutionSummary; isStreamed: boolean },
): VNode {
  const now = useNow(1_000);
  const { id, agent_id, trigger, started_at } = execution;
  const pause = toPauseSentence(execution, now);
  return (
    <div class="run-card">
      <h3>
        <ExecutionLink id={id} agentId={agent_id} />
        <span class="muted small">
          {trigger}, {formatDuration(now - Date.parse(started_at))}
        </span>
      </h3>
      {pause !== undefined
        ? <p class="muted" dir="auto">{pause}</p>
        : isStreamed
        ? <LastSteps id={id} />
        : <p class="muted">{formatNumberOf(execution.tool_calls, "tool call")} so far</p>}
    </div>
  );
}

/** Renders the current activity: the streaming text or the latest step. */
function LastSteps({ id }: { id: number }): VNode {
  const { entries, streaming } = useExecutionLog(id);
  const latest = useMemo(() => describeLatest(buildTimeline(entries)), [entries]);
  return streaming === ""
    ? <p class="muted ellipsis" dir="auto">{latest}</p>
    : (
      <p class="stream tail" dir="auto">
        <span>{endOf(streaming, STREAMED_CHARACTERS)}</span>
      </p>
    );
}
