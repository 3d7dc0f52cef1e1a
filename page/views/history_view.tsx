// The view of all executions, page by page. The filter is part of the address, so it can be bookmarked.
import type { VNode } from "preact";
import {
  EXECUTION_TRIGGERS,
  type ExecutionTrigger,
} from "../../runtime/vocabulary/trigger_kinds.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../../runtime/executions/states.ts";
import { ExecutionTable } from "./execution_table.tsx";
import { AgentField, PeriodFields, SelectField, TypedField } from "../parts/forms.tsx";
import { Empty, LoadState } from "../parts/parts.tsx";
import { historyHref, type HistoryRoute, parseRoute, toHash, toPeriod } from "../state/route.ts";
import { useResource } from "../state/use_resource.ts";

const PAGE_SIZE = 50;
/** The minimum length of a text to search for. */
const SHORTEST_SEARCH = 3;

/** Renders the history with the filter of the route. */
export function HistoryView({ route }: { route: HistoryRoute }): VNode {
  const { status, agent, page, q, from, to, trigger } = route;
  const history = useResource(
    (client) =>
      client.executions({
        ...(status !== null && { status: [status] }),
        ...(agent !== null && { agent }),
        ...(trigger !== null && { trigger }),
        ...(q !== null && q.trim().length >= SHORTEST_SEARCH && { q }),
        ...toPeriod({ from, to }),
        preview: true,
        // One execution more than is shown, to detect a next page.
        limit: PAGE_SIZE + 1,
        offset: (page - 1) * PAGE_SIZE,
      }),
    // Events update only the first page, so that later pages do not change while they are read.
    { key: toHash(route), topics: page === 1 ? ["executions"] : [] },
  );
  const { data = [], isStale } = history;
  const shown = data.slice(0, PAGE_SIZE);
  return (
    <>
      <h1>History</h1>
      <Filters route={route} />
      <LoadState of={history} />
      {history.data?.length === 0 && (
        <Empty>{page > 1 ? "No further pages." : "No executions match this filter."}</Empty>
      )}
      {shown.length > 0 && (
        <div aria-busy={isStale}>
          <ExecutionTable executions={shown} label="Executions" />
        </div>
      )}
      <Pages route={route} hasMore={data.length > PAGE_SIZE} />
    </>
  );
}

function Filters({ route }: { route: HistoryRoute }): VNode {
  const change = (changes: Partial<HistoryRoute>) => {
    // Read the address instead of `route`, which is outdated if two changes follow each other before the page renders.
    const current = parseRoute(location.hash);
    if (current.view === "history") location.hash = toHash({ ...current, page: 1, ...changes });
  };
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Status"
        value={route.status ?? ""}
        options={EXECUTION_STATUSES}
        onChoose={(one) => change({ status: (one || null) as ExecutionStatus | null })}
      />
      <TypedField
        label="Search"
        type="search"
        data-filter
        minLength={SHORTEST_SEARCH}
        value={route.q ?? ""}
        onEntered={(q) => change({ q })}
      />
      <PeriodFields from={route.from} to={route.to} onEntered={change} />
      <SelectField
        label="Trigger"
        value={route.trigger ?? ""}
        options={EXECUTION_TRIGGERS}
        onChoose={(one) => change({ trigger: (one || null) as ExecutionTrigger | null })}
      />
      <AgentField chosen={route.agent} onChoose={(agent) => change({ agent })} />
      {location.hash !== historyHref() && <a class="button" href={historyHref()}>Clear</a>}
    </form>
  );
}

function Pages({ route, hasMore }: { route: HistoryRoute; hasMore: boolean }): VNode | null {
  const { page } = route;
  if (page === 1 && !hasMore) return null;
  const link = (to: number, rel: "prev" | "next", name: string) => (
    <a class="button" rel={rel} href={toHash({ ...route, page: to })}>{name}</a>
  );
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 && link(page - 1, "prev", "Newer")}
      <span>Page {page}</span>
      {hasMore && link(page + 1, "next", "Older")}
    </nav>
  );
}
