// The recap on the start page, like `inkling recap`: results since the last visit, stopped agents, and the next runs.
import type { ComponentChildren, VNode } from "preact";
import { countRuns } from "../../present/recap.ts";
import { firstLine } from "../../present/visible_text.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatMoment,
  formatNumberOf,
  formatRecent,
  formatRecentRange,
  toDayName,
} from "../parts/format.ts";
import { type Span, SPANS } from "../state/visit.ts";
import { Agent, Button, Empty, Figure, RelativeTime } from "../parts/parts.tsx";
import { agentHref, executionHref, historyHref, toHash } from "../state/route.ts";
import type { RecapOfSpan } from "../state/use_recap.ts";

/** The maximum number of shown next runs. */
const SHOWN_NEXT = 5;

const SPAN_NAMES: Readonly<Record<Span, string>> = {
  look: "Last visit",
  today: "Today",
  day: "24 hours",
  week: "7 days",
};

/** Renders the totals of the recap, and its period with the control that chooses another period. */
export function RecapFigures({ of: { recap, span, onSpan } }: { of: RecapOfSpan }): VNode {
  const { data, isStale } = recap;
  const [from, to] = [Date.parse(data?.since ?? ""), Date.parse(data?.until ?? "")];
  return (
    <section class="recap" aria-label="Since">
      <div class="view-head">
        <h2>
          {data === undefined ? "Recap" : (
            <>
              Since{" "}
              <time dateTime={data.since} title={formatMoment(from)}>{formatRecent(from)}</time>
              {" "}
              <span class="muted">({formatDuration(Math.max(0, to - from))})</span>
            </>
          )}
        </h2>
        <div class="choices" role="group" aria-label="Since">
          {SPANS.map((one) => (
            <Button
              key={one}
              aria-pressed={one === span}
              onClick={() => onSpan(one)}
            >
              {SPAN_NAMES[one]}
            </Button>
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

function Figures({ recap }: { recap: RecapBody }): VNode {
  const { total, failed } = recap.executions;
  const from = toDayName(Date.parse(recap.since));
  return (
    <dl class="figures large">
      <Figure name="Runs">
        <a href={historyHref({ from })}>{formatCount(total)}</a>
        {countRuns(recap).map(({ count, word, status }) =>
          status !== "error" && (
            <span key={word} class="beside">
              {" "}
              <span class={`status ${status}`}>{formatCount(count)} {word}</span>
            </span>
          )
        )}
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
      <Figure name="Did not run">
        {formatCount(recap.not_run.reduce((sum, { count }) => sum + count, 0))}
      </Figure>
    </dl>
  );
}

/** Renders the failures and the scheduled times without a run, one line for each agent and reason. */
export function RecapFailures({ recap }: { recap: RecapBody }): VNode {
  const { failures, not_run: notRun } = recap;
  const from = toDayName(Date.parse(recap.since));
  return (
    <>
      <ListSection id="failed" title="Failed" empty="No failures.">
        {failures.map((one) => (
          <Line key={one.agent_id} agentId={one.agent_id}>
            <a class="status error" href={historyHref({ agent: one.agent_id, from })}>
              {formatNumberOf(one.count, "failure")}
            </a>
            <a
              class="cause"
              dir="auto"
              title={one.last_error}
              href={executionHref(one.last_execution_id)}
            >
              {firstLine(one.last_error)}
            </a>
          </Line>
        ))}
      </ListSection>
      <ListSection id="not-run" title="Did not run">
        {notRun.map((one) => (
          <Line key={`${one.agent_id} ${one.outcome} ${one.reason}`} agentId={one.agent_id}>
            <span class={`status ${one.outcome}`}>{formatCount(one.count)} {one.outcome}</span>
            <span class="cause" dir="auto">
              {one.reason} <span class="muted">{describeTimes(one)}</span>
            </span>
          </Line>
        ))}
      </ListSection>
    </>
  );
}

/** Renders the agents that do not run automatically, and the downtimes of the service. */
export function RecapStops({ recap: { stopped, downtimes } }: { recap: RecapBody }): VNode {
  return (
    <>
      <ListSection id="stopped" title="Not running automatically">
        {stopped.map((one) => (
          <Line key={one.agent_id} agentId={one.agent_id}>
            <span class="cause" dir="auto">{one.reason}</span>
          </Line>
        ))}
      </ListSection>
      <ListSection id="down" title="The service was not running">
        {downtimes.map(({ from, to }) => (
          <li key={to} class="downtime">
            {from === null ? `until ${formatRecent(Date.parse(to))}: it was killed` : (
              <>
                {formatRecentRange(Date.parse(from), Date.parse(to))}
                <span class="muted">{formatDuration(Date.parse(to) - Date.parse(from))}</span>
              </>
            )}
          </li>
        ))}
      </ListSection>
    </>
  );
}

/** Renders the next scheduled runs, soonest first. */
export function RecapNext({ recap: { next } }: { recap: RecapBody }): VNode {
  return (
    <section aria-label="Next runs">
      <h2>
        Next runs <a class="more" href={toHash({ view: "schedule" })}>schedule</a>
      </h2>
      {next.length === 0 && <Empty>No scheduled runs.</Empty>}
      <ul class="told next">
        {next.slice(0, SHOWN_NEXT).map(({ agent_id: id, at }) => (
          <Line key={id} agentId={id}>
            <span>{formatRecent(Date.parse(at))}</span>
            <span class="muted">
              <RelativeTime at={at} />
            </span>
          </Line>
        ))}
      </ul>
      {next.length > SHOWN_NEXT && (
        <p class="muted small">and {formatNumberOf(next.length - SHOWN_NEXT, "more agent")}</p>
      )}
    </section>
  );
}

/** Renders a list with a title. Without items, renders the text `empty`, or nothing if `empty` is absent. */
function ListSection(
  { id, title, empty, children }: {
    id: string;
    title: string;
    empty?: string;
    children: VNode[];
  },
): VNode | null {
  if (children.length === 0 && empty === undefined) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children.length === 0 ? <Empty>{empty}</Empty> : <ul class="told">{children}</ul>}
    </section>
  );
}

function Line({ agentId, children }: { agentId: string; children: ComponentChildren }): VNode {
  return (
    <li>
      <a class="who" data-row href={agentHref(agentId)}>
        <Agent id={agentId} />
      </a>
      {children}
    </li>
  );
}

function describeTimes({ count, first, last }: RecapBody["not_run"][number]): string {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  if (from !== to) return formatRecentRange(from, to);
  // The first of several merged times represents all.
  return count > 1 ? `from ${formatRecent(from)}` : formatRecent(from);
}
