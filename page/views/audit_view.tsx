// The view of the audit: the changes of people, programs and files, with a filter that is part of the address.
import type { VNode } from "preact";
import type { Client } from "../../api/client/client.ts";
import type { AuditRecord } from "../../api/schemas/audit_schemas.ts";
import { PLACES } from "../../present/answer_place.ts";
import { ACTIONS, describeAudit } from "../../present/audit_text.ts";
import { AUDIT_ACTION_NAMES, type AuditAction } from "../../runtime/vocabulary/audit_actions.ts";
import { AgentField, PeriodFields, SelectField, TypedField } from "../parts/forms.tsx";
import {
  Button,
  Empty,
  LoadState,
  Problem,
  RelativeTime,
  TableHead,
  ViewHead,
} from "../parts/parts.tsx";
import { download } from "../parts/download.ts";
import {
  agentHref,
  auditHref,
  type AuditRoute,
  executionHref,
  parseRoute,
  toHash,
  toPeriod,
} from "../state/route.ts";
import { useService } from "../state/service_context.ts";
import { useResource, useSending } from "../state/use_resource.ts";

const PAGE_SIZE = 50;
/** The number of records per request of an export. */
const EXPORT_SIZE = 500;

/** Renders the records that match the filter of the route. */
export function AuditView({ route }: { route: AuditRoute }): VNode {
  const records = useResource(
    // One record more than is shown, to detect a next page.
    (client) => client.audit({ ...toQuery(route), limit: PAGE_SIZE + 1 }),
    {
      key: toHash(route),
      topics: route.before === null ? ["executions", "agents", "scheduler"] : [],
    },
  );
  const { client } = useService();
  const { isSending, problem, send } = useSending();
  const { data = [], isStale } = records;
  const shown = data.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  return (
    <>
      <ViewHead
        crumb="Changes of people, programs and files"
        title="Audit"
      >
        <Button
          disabled={isSending}
          onClick={() =>
            send(async () => download("audit.jsonl", await toJsonLines(client, route)))}
        >
          Download JSON lines
        </Button>
      </ViewHead>
      <Filters route={route} />
      <Problem text={problem} />
      <LoadState of={records} />
      {records.data?.length === 0 && (
        <Empty>
          {route.before === null ? "No recorded change matches this filter." : "No older changes."}
        </Empty>
      )}
      {shown.length > 0 && (
        <table class="rows" aria-label="Changes" aria-busy={isStale}>
          <TableHead names={["Change", "When", "Who", "By way of"]} />
          <tbody>
            {shown.map((one) => <Row key={one.id} record={one} />)}
          </tbody>
        </table>
      )}
      <nav class="pages" aria-label="Pages">
        {route.before !== null && (
          <a class="button" href={toHash({ ...route, before: null })}>Newest</a>
        )}
        {last !== undefined && data.length > PAGE_SIZE && (
          <a class="button" rel="next" href={toHash({ ...route, before: last.id })}>Older</a>
        )}
      </nav>
    </>
  );
}

/** Returns the query for the filter of a route. */
function toQuery({ view: _view, from, to, ...filter }: AuditRoute) {
  const given = Object.entries(filter).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), ...toPeriod({ from, to }) };
}

/** Returns every record that matches the filter, each as one line of JSON, newest first. */
async function toJsonLines(client: Client, route: AuditRoute): Promise<string> {
  let lines = "";
  let before: number | undefined;
  for (;;) {
    const query = { ...toQuery(route), ...(before !== undefined && { before }) };
    const page = await client.audit({ ...query, limit: EXPORT_SIZE });
    lines += page.map((one) => `${JSON.stringify(one)}\n`).join("");
    before = page.at(-1)?.id;
    if (page.length < EXPORT_SIZE) return lines;
  }
}

function Row({ record }: { record: AuditRecord }): VNode {
  const { at, name, via, address, agent_id: agent, execution_id: execution } = record;
  const href = execution !== null
    ? executionHref(execution)
    : agent !== null
    ? agentHref(agent)
    : undefined;
  const text = describeAudit(record);
  return (
    <tr>
      <th scope="row" class="main">
        {href === undefined ? <bdi>{text}</bdi> : <a data-row href={href} dir="auto">{text}</a>}
      </th>
      <td>
        <RelativeTime at={at} />
      </td>
      <td>
        <bdi>{name}</bdi>
      </td>
      <td>{[PLACES[via] ?? via, address].filter((one) => one !== null).join(", ")}</td>
    </tr>
  );
}

function Filters({ route }: { route: AuditRoute }): VNode {
  const change = (changes: Partial<AuditRoute>) => {
    // Read the address instead of `route`, which is outdated if two changes follow each other before the page renders.
    const current = parseRoute(location.hash);
    if (current.view === "audit") location.hash = toHash({ ...current, before: null, ...changes });
  };
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Change"
        value={route.action ?? ""}
        options={AUDIT_ACTION_NAMES}
        nameOf={(one) => ACTIONS[one as AuditAction]}
        onChoose={(one) => change({ action: (one || null) as AuditAction | null })}
      />
      <TypedField
        label="Who"
        type="search"
        data-filter
        value={route.name ?? ""}
        onEntered={(name) => change({ name: name || null })}
      />
      <SelectField
        label="By way of"
        value={route.via ?? ""}
        options={Object.keys(PLACES)}
        nameOf={(one) => PLACES[one] ?? one}
        onChoose={(one) => change({ via: one || null })}
      />
      <PeriodFields from={route.from} to={route.to} onEntered={change} />
      <AgentField chosen={route.agent} onChoose={(agent) => change({ agent })} />
      {location.hash !== auditHref() && <a class="button" href={auditHref()}>Clear</a>}
    </form>
  );
}
