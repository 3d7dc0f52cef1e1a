// `inkling audit`: prints the recorded changes of people, programs and files.
import { performs } from "../../command_line/command.ts";
import { readSpan } from "../../command_line/moment.ts";
import type { audit } from "../../declarations/execution_commands.ts";
import type { AuditRecord } from "../../../api/schemas/audit_schemas.ts";
import { describeAudit } from "../../../present/audit_text.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { type Column, NOTHING } from "../../output/table.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../context/unknown_agent.ts";

const DEFAULT_LAST = 20;
/** The number of records per request. */
const PAGE = 500;

const COLUMNS: Column<AuditRecord>[] = [
  { header: "When", cell: ({ at }) => formatMinute(at) },
  { header: "Who", cell: ({ name }) => name ?? NOTHING },
  { header: "By way of", cell: ({ via, address }) => address === null ? via : `${via} ${address}` },
  { header: "Change", cell: describeAudit, shrinks: true },
];

/** Prints the newest records. With --json, prints every matching record as one line of JSON. */
export const perform = performs<typeof audit>(
  async ({ app, output, workspace }, options, given) => {
    const { last = options.json ? Infinity : DEFAULT_LAST, json, ...filter } = options;
    const span = readSpan(filter, app.clock.now());
    const { agent: agentId } = given;
    await using reader = await openReader(app, workspace);
    const { client } = reader;
    const query = {
      agent: agentId,
      action: filter.action,
      name: filter.by,
      via: filter.via,
      execution_id: filter.execution,
      ...span,
    };
    let before: number | undefined;
    for (let count = 0; count < last;) {
      const limit = Math.min(PAGE, last - count);
      const page = await client.audit({ ...query, before, limit });
      if (page.length === 0 && count === 0 && agentId !== undefined) {
        // A removed agent may have records, so only an empty list needs this check.
        await orUnknownAgent(client.runs(agentId, { limit: 1 }), { app, client, agentId });
      }
      if (json) { for (const one of page) output.jsonLine(JSON.stringify(one)); }
      else if (page.length === 0 && count === 0) {
        output.sentence("No change is recorded that matches");
      } else if (page.length > 0) output.table(page, COLUMNS);
      count += page.length;
      before = page.at(-1)?.id;
      if (page.length < limit) return;
    }
  },
);
