// What concerns a person now: the questions that wait, what happened since they looked, what runs, what comes next.
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { ExecutionSummary } from "../../../schemas/execution_schemas.ts";
import { type AgentsById, labelOf } from "../state/agents_by_id.ts";
import { ExecutionTable } from "./execution_table.tsx";
import { foldFailures } from "../state/fold_failures.ts";
import { formatDuration, formatNumberOf } from "../format.ts";
import { AgentName, Empty, Loading, Problem } from "../parts.tsx";
import { PendingRequest } from "./pending_request.tsx";
import { RecapFaults, RecapFigures, RecapNext, RecapStops } from "./recap_view.tsx";
import type { RecapOfSpan } from "../state/use_recap.ts";
import type { WaitingList } from "../state/pending_list.ts";
import { toHash, WHOLE_HISTORY } from "../route.ts";
import { useService } from "../state/service_context.ts";
import { buildTimeline, describeLatest } from "../state/timeline.ts";
import { useExecutionLog } from "../state/use_execution_log.ts";
import type { Resource } from "../state/resource.ts";
import { useNow, useResource } from "../state/use_resource.ts";
import { endOf } from "../visible_text.ts";

const MOST_RUNNING = 20;
/**
 * Executions whose text is streamed at once. A browser opens six connections to one place, for all its pages together;
 * each stream takes one for as long as it lasts.
 */
const MOST_STREAMED = 2;
/** Characters of a streamed text that a card has room for. */
const STREAMED_CHARACTERS = 600;
const RECENT = 8;
/** What they are taken from: of an agent that fails again and again they are one. */
const RECENT_TAKEN = 60;

/** What the first page lists. */
export interface NowLists {
  waiting: Resource<WaitingList>;
  running: Resource<ExecutionSummary[]>;
  ended: Resource<ExecutionSummary[]>;
  happened: RecapOfSpan;
}

/** What runs and what has ended, asked for while the page is seen; known beyond that, for whoever comes back to it. */
export function useExecutionLists(isActive: boolean): Pick<NowLists, "running" | "ended"> {
  const { client } = useService();
  const topics = ["executions"] as const;
  const running = useResource(
    () => client.executions({ status: ["running"], limit: MOST_RUNNING }),
    { key: "running", topics, isActive },
  );
  const ended = useResource(
    () =>
      client.executions({
        status: ["success", "error", "aborted", "timeout", "orphaned"],
        limit: RECENT_TAKEN,
      }),
    { key: "ended", topics, isActive },
  );
  return { running, ended };
}

/** The page that one begins with. */
export function NowView(
  { agents, lists: { waiting, running, ended, happened } }: { agents: AgentsById; lists: NowLists },
): VNode {
  const recap = happened.recap.data;
  const problem = waiting.problem ?? running.problem ?? ended.problem ?? happened.recap.problem;
  return (
    <>
      <h1 class="unseen">Now</h1>
      {problem !== null && <Problem text={problem} />}
      {waiting.data !== undefined && waiting.data.questions.length > 0 && (
        <section aria-labelledby="waiting">
          <h2 id="waiting">Waiting for you</h2>
          {waiting.data.questions.map(({ pending, execution }) => (
            <PendingRequest
              key={pending.request_id}
              pending={pending}
              level={3}
              title={<ExecutionTitle execution={execution} agents={agents} />}
            />
          ))}
          {waiting.data.hasMore && (
            <p>
              Older ones are waiting, too:{" "}
              <a href={toHash({ ...WHOLE_HISTORY, status: "waiting" })}>show all</a>
            </p>
          )}
        </section>
      )}
      <RecapFigures of={happened} />
      <div class="columns">
        <div aria-busy={happened.recap.isStale}>
          {recap === undefined && problem === null && <Loading />}
          {recap !== undefined && <RecapFaults recap={recap} agents={agents} />}
        </div>
        <div>
          <Running running={running} agents={agents} />
          {recap !== undefined && (
            <>
              <RecapStops recap={recap} agents={agents} />
              <RecapNext recap={recap} agents={agents} />
            </>
          )}
        </div>
      </div>
      <Ended ended={ended} agents={agents} />
    </>
  );
}

function Running(
  { running, agents }: { running: Resource<ExecutionSummary[]>; agents: AgentsById },
): VNode {
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
            <RunningExecution
              execution={execution}
              agents={agents}
              isStreamed={index < MOST_STREAMED}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Ended(
  { ended, agents }: { ended: Resource<ExecutionSummary[]>; agents: AgentsById },
): VNode {
  const shown = foldFailures(ended.data ?? []).slice(0, RECENT);
  return (
    <section aria-labelledby="ended">
      <h2 id="ended">
        Recently ended <a class="more" href={toHash(WHOLE_HISTORY)}>whole history</a>
      </h2>
      {ended.data === undefined && ended.problem === null && <Loading />}
      {ended.data?.length === 0 && <Empty>Nothing has run yet.</Empty>}
      {shown.length > 0 && (
        <ExecutionTable
          executions={shown.map(({ execution }) => execution)}
          counts={new Map(shown.map(({ execution, count }) => [execution.id, count]))}
          agents={agents}
          label="Recently ended"
        />
      )}
    </section>
  );
}

function ExecutionTitle(
  { execution, agents }: { execution: ExecutionSummary; agents: AgentsById },
): VNode {
  const { icon, name } = labelOf(agents, execution.agent_id);
  return (
    <a href={toHash({ view: "execution", id: execution.id })}>
      <AgentName icon={icon} name={name} /> <span class="muted">#{execution.id}</span>
    </a>
  );
}

function RunningExecution(
  { execution, agents, isStreamed }: {
    execution: ExecutionSummary;
    agents: AgentsById;
    isStreamed: boolean;
  },
): VNode {
  const now = useNow(1_000);
  return (
    <div class="run-card">
      <h3>
        <ExecutionTitle execution={execution} agents={agents} />
        <span class="muted small">
          {execution.trigger}, {formatDuration(now - Date.parse(execution.started_at))}
        </span>
      </h3>
      {isStreamed ? <LastSteps id={execution.id} /> : (
        <p class="muted">
          {formatNumberOf(execution.tool_calls, "tool call")} so far
        </p>
      )}
    </div>
  );
}

/** What it does at this moment: the text that streams, else its latest step. */
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
