// What happened since a person looked, and what stands still or comes next: the recap of `inkling recap`, as a page.
import type { ComponentChildren, VNode } from "preact";
import type { RecapBody } from "../../../schemas/report_schemas.ts";
import { type AgentsById, labelOf } from "../state/agents_by_id.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatMoment,
  formatNumberOf,
  formatRecent,
  formatRecentRange,
  toDayName,
} from "../format.ts";
import { type Span, SPANS } from "../state/look.ts";
import { AgentName, Empty, Figure, When } from "../parts.tsx";
import { toHash, WHOLE_HISTORY } from "../route.ts";
import type { RecapOfSpan } from "../state/use_recap.ts";

/** Of what is due next, what is shown. */
const SHOWN_NEXT = 8;

const SPAN_NAMES: Readonly<Record<Span, string>> = {
  look: "Last look",
  today: "Today",
  day: "24 hours",
  week: "7 days",
};

/** Since when, the choice of it, and the figures. */
export function RecapFigures({ of: { recap, span, onSpan } }: { of: RecapOfSpan }): VNode {
  const { data, isStale } = recap;
  return (
    <section class="recap" aria-label="Since">
      <div class="view-head">
        <h2>
          {data === undefined ? "What happened" : <Since recap={data} />}
        </h2>
        <div class="choices" role="group" aria-label="Since">
          {SPANS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === span}
              onClick={() => onSpan(one)}
            >
              {SPAN_NAMES[one]}
            </button>
          ))}
        </div>
      </div>
      {data !== undefined && (
        <div aria-busy={isStale}>
          <Figures recap={data} />
        </div>
      )}
    </section>
  );
}

function Since({ recap: { since, until } }: { recap: RecapBody }): VNode {
  const [from, to] = [Date.parse(since), Date.parse(until)];
  return (
    <>
      Since <time dateTime={since} title={formatMoment(from)}>{formatRecent(from)}</time>{" "}
      <span class="muted">({formatDuration(Math.max(0, to - from))})</span>
    </>
  );
}

function Figures({ recap }: { recap: RecapBody }): VNode {
  const { total, succeeded, failed, running, waiting } = recap.executions;
  const cancelled = total - succeeded - failed - running - waiting;
  const parts = [
    [succeeded, "succeeded", "success"],
    [cancelled, "cancelled", "aborted"],
    [running, "running", "running"],
    [waiting, "waiting", "waiting"],
  ] as const;
  const from = toDayName(Date.parse(recap.since));
  return (
    <dl class="figures large">
      <Figure name="Runs">
        <a href={toHash({ ...WHOLE_HISTORY, from })}>{formatCount(total)}</a>
        {parts.filter(([n]) => n > 0).map(([n, name, status]) => (
          <span key={name} class="beside">
            {" "}
            <span class={`status ${status}`}>{formatCount(n)} {name}</span>
          </span>
        ))}
      </Figure>
      <Figure name="Failed">
        {failed === 0 ? "0" : <span class="status error">{formatCount(failed)}</span>}
      </Figure>
      <Figure name="Cost">
        {formatCost(total === 0 ? 0 : recap.cost_usd)}
        {recap.cost_before_usd !== null && (
          <span class="beside muted">day before {formatCost(recap.cost_before_usd)}</span>
        )}
        {recap.mean_cost_usd !== null && (
          <span class="beside muted">7-day mean {formatCost(recap.mean_cost_usd)}</span>
        )}
      </Figure>
      <Figure name="Waiting for you">
        {recap.waiting.length === 0
          ? "0"
          : <span class="status waiting">{recap.waiting.length}</span>}
      </Figure>
      <Figure name="Did not run">
        {formatCount(recap.not_run.reduce((sum, { count }) => sum + count, 0))}
      </Figure>
    </dl>
  );
}

/** What failed and what did not run, each agent and reason as one line. */
export function RecapFaults({ recap, agents }: { recap: RecapBody; agents: AgentsById }): VNode {
  const { failures, not_run: notRun } = recap;
  const from = toDayName(Date.parse(recap.since));
  return (
    <>
      <Told id="failed" title="Failed" nothing="Nothing failed.">
        {failures.map((one) => (
          <Line key={one.agent_id} agentId={one.agent_id} agents={agents}>
            <a
              class="status error"
              href={toHash({ ...WHOLE_HISTORY, agent: one.agent_id, from })}
            >
              {formatNumberOf(one.count, "failure")}
            </a>
            <a
              class="cause"
              dir="auto"
              title={one.last_error}
              href={toHash({ view: "execution", id: one.last_execution_id })}
            >
              {firstLine(one.last_error)}
            </a>
          </Line>
        ))}
      </Told>
      <Told id="not-run" title="Did not run">
        {notRun.map((one) => (
          <Line
            key={`${one.agent_id} ${one.outcome} ${one.reason}`}
            agentId={one.agent_id}
            agents={agents}
          >
            <span class={`status ${one.outcome}`}>{formatCount(one.count)} {one.outcome}</span>
            <span class="cause" dir="auto">
              {one.reason} <span class="muted">{describeTimes(one)}</span>
            </span>
          </Line>
        ))}
      </Told>
    </>
  );
}

/** What stands still, and when all of it did. */
export function RecapStops(
  { recap: { stopped, downtimes }, agents }: { recap: RecapBody; agents: AgentsById },
): VNode {
  return (
    <>
      <Told id="stopped" title="Does not run by itself now">
        {stopped.map((one) => (
          <Line key={one.agent_id} agentId={one.agent_id} agents={agents}>
            <span class="cause" dir="auto">{one.reason}</span>
          </Line>
        ))}
      </Told>
      <Told id="down" title="The service was not running">
        {downtimes.map(({ from, to }) => (
          <li key={to} class="downtime">
            {from === null
              ? `until ${formatRecent(Date.parse(to))}: it had been killed`
              : formatRecentRange(Date.parse(from), Date.parse(to))}
          </li>
        ))}
      </Told>
    </>
  );
}

/** What is due next, the soonest first. */
export function RecapNext({ recap, agents }: { recap: RecapBody; agents: AgentsById }): VNode {
  const { next } = recap;
  return (
    <section aria-label="Due next">
      <h2>
        Due next <a class="more" href={toHash({ view: "schedule" })}>schedule</a>
      </h2>
      {next.length === 0 && <Empty>No schedule is due.</Empty>}
      <ul class="told next">
        {next.slice(0, SHOWN_NEXT).map(({ agent_id: id, at }) => (
          <Line key={id} agentId={id} agents={agents}>
            <span>{formatRecent(Date.parse(at))}</span>
            <span class="muted">
              <When at={at} />
            </span>
          </Line>
        ))}
      </ul>
      {next.length > SHOWN_NEXT && (
        <p class="muted small">and {formatNumberOf(next.length - SHOWN_NEXT, "further agent")}</p>
      )}
    </section>
  );
}

/** A list under its title; without items it is not there, or says that there is nothing. */
function Told(
  { id, title, nothing, children }: {
    id: string;
    title: string;
    nothing?: string;
    children: VNode[];
  },
): VNode | null {
  if (children.length === 0 && nothing === undefined) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children.length === 0 ? <Empty>{nothing}</Empty> : <ul class="told">{children}</ul>}
    </section>
  );
}

function Line(
  { agentId, agents, children }: {
    agentId: string;
    agents: AgentsById;
    children: ComponentChildren;
  },
): VNode {
  return (
    <li>
      <a class="who" data-row href={toHash({ view: "agent", id: agentId })}>
        <AgentName {...labelOf(agents, agentId)} />
      </a>
      {children}
    </li>
  );
}

function describeTimes({ count, first, last }: RecapBody["not_run"][number]): string {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  // Several times that stand as one are known by the first.
  return from === to && count > 1
    ? `from ${formatRecent(from)}`
    : from === to
    ? formatRecent(from)
    : formatRecentRange(from, to);
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
