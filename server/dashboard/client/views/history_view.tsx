// Everything that ever ran, a page at a time. The filter stands in the address, so that it can be kept and gone back to.
import type { JSX, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { EXECUTION_TRIGGERS, type ExecutionTrigger } from "../../../../runtime/trigger_kinds.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../../../../runtime/executions/states.ts";
import type { AgentsById } from "../state/agents_by_id.ts";
import { ExecutionTable } from "./execution_table.tsx";
import { Empty, Loading, Problem } from "../parts.tsx";
import { type HistoryRoute, parseRoute, toHash } from "../route.ts";
import { useService } from "../state/service_context.ts";
import { useResource } from "../state/use_resource.ts";

const PAGE_SIZE = 50;
/** The service finds no shorter texts. */
const SHORTEST_SEARCH = 3;

/** The history as the route filters it. */
export function HistoryView({ route, agents }: { route: HistoryRoute; agents: AgentsById }): VNode {
  const { client } = useService();
  const { status, agent, page, q = "", from, to, trigger } = route;
  const { data, problem, isStale } = useResource(
    () =>
      client.executions({
        ...(status !== null && { status: [status] }),
        ...(agent !== null && { agent }),
        ...(trigger !== null && { trigger }),
        ...(q.trim().length >= SHORTEST_SEARCH && { q }),
        ...(from !== undefined && { since: startOf(from, 0) }),
        ...(to !== undefined && { until: startOf(to, 1) }),
        preview: true,
        // One more than is shown tells whether there is a next page.
        limit: PAGE_SIZE + 1,
        offset: (page - 1) * PAGE_SIZE,
      }),
    // The first page is live; what one has turned to stays under the reader's eyes.
    { key: toHash(route), topics: page === 1 ? ["executions"] : [] },
  );
  const shown = data?.slice(0, PAGE_SIZE) ?? [];
  return (
    <>
      <h1>History</h1>
      <Filters route={route} agents={agents} />
      {problem !== null && <Problem text={problem} />}
      {data === undefined && problem === null && <Loading />}
      {data !== undefined && shown.length === 0 && (
        <Empty>{page > 1 ? "No further pages." : "No executions match this filter."}</Empty>
      )}
      {shown.length > 0 && (
        <div aria-busy={isStale}>
          <ExecutionTable executions={shown} agents={agents} label="Executions" />
        </div>
      )}
      <Pages route={route} hasMore={(data?.length ?? 0) > PAGE_SIZE} />
    </>
  );
}

/** The local beginning of a day, or of one some days later, as ISO 8601. */
function startOf(day: string, later: number): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + later);
  return at.toISOString();
}

function Filters({ route, agents }: { route: HistoryRoute; agents: AgentsById }): VNode {
  const id = useId();
  const change = (changes: Partial<HistoryRoute>) => {
    // Two changes may follow each other faster than the page is drawn: the address already has the first.
    const current = parseRoute(location.hash);
    if (current.view === "history") location.hash = toHash({ ...current, page: 1, ...changes });
  };
  const ids = new Set([...agents.keys(), ...(route.agent === null ? [] : [route.agent])]);
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <div class="field">
        <label for={`${id}-status`}>Status</label>
        <select
          id={`${id}-status`}
          data-filter
          value={route.status ?? ""}
          onChange={({ currentTarget }) =>
            change({ status: (currentTarget.value || null) as ExecutionStatus | null })}
        >
          <option value="">all</option>
          {EXECUTION_STATUSES.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
      </div>
      <div class="field">
        <label for={`${id}-text`}>Text</label>
        <TypedInput
          id={`${id}-text`}
          type="search"
          minLength={SHORTEST_SEARCH}
          value={route.q ?? ""}
          onEntered={(q) => change({ q })}
        />
      </div>
      {(["from", "to"] as const).map((name) => (
        <div class="field" key={name}>
          <label for={`${id}-${name}`}>{name === "from" ? "From" : "To"}</label>
          <TypedInput
            id={`${id}-${name}`}
            type="date"
            value={route[name] ?? ""}
            onEntered={(day) => change({ [name]: day })}
          />
        </div>
      ))}
      <div class="field">
        <label for={`${id}-trigger`}>Trigger</label>
        <select
          id={`${id}-trigger`}
          value={route.trigger ?? ""}
          onChange={({ currentTarget }) =>
            change({ trigger: (currentTarget.value || null) as ExecutionTrigger | null })}
        >
          <option value="">all</option>
          {EXECUTION_TRIGGERS.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
      </div>
      <div class="field">
        <label for={`${id}-agent`}>Agent</label>
        <select
          id={`${id}-agent`}
          value={route.agent ?? ""}
          onChange={({ currentTarget }) => change({ agent: currentTarget.value || null })}
        >
          <option value="">all</option>
          {[...ids].map((one) => (
            <option key={one} value={one}>{agents.get(one)?.display_name ?? one}</option>
          ))}
        </select>
      </div>
    </form>
  );
}

/** A field that keeps what is being typed when the page is drawn again; it follows its value only when that changes. */
function TypedInput(
  { value, onEntered, ...attributes }: {
    value: string;
    onEntered: (text: string) => void;
  } & JSX.IntrinsicElements["input"],
): VNode {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (input.current !== null) input.current.value = value;
  }, [value]);
  return (
    <input
      {...attributes}
      ref={input}
      onChange={({ currentTarget }) => onEntered(currentTarget.value)}
    />
  );
}

function Pages({ route, hasMore }: { route: HistoryRoute; hasMore: boolean }): VNode | null {
  const { page } = route;
  if (page === 1 && !hasMore) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 && (
        <a class="button" rel="prev" href={toHash({ ...route, page: page - 1 })}>Newer</a>
      )}
      <span>Page {page}</span>
      {hasMore && (
        <a class="button" rel="next" href={toHash({ ...route, page: page + 1 })}>
          Older
        </a>
      )}
    </nav>
  );
}
