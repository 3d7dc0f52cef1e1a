// The operation that lists recorded changes.
import { z } from "zod";
import { AUDIT_ACTION_NAMES } from "../../runtime/vocabulary/audit_actions.ts";
import { hasRight } from "../../runtime/vocabulary/rights.ts";
import { operation } from "../operations/operation.ts";
import { agents, filled, integer, limit, moment } from "../operations/parameters.ts";
import { AuditRecord } from "../schemas/audit_schemas.ts";

/** A text to compare with. A blank value counts as absent. */
const name = filled(z.string().trim());

export const audit = operation({
  summary: "Recorded changes of people, programs and files, newest first",
  description: "Everything is for the right `admin`. Without it, the list contains the changes " +
    "that concern one agent, without addresses. `before` is the `id` of the last record of the page before.",
  query: z.object({
    action: z.enum(AUDIT_ACTION_NAMES).optional(),
    agent: agents,
    name,
    via: name,
    execution_id: integer({ min: 1 }).optional(),
    file: name,
    since: moment,
    until: moment,
    before: integer({ min: 1 }).optional(),
    limit: limit(50),
  }),
  response: z.array(AuditRecord),
  async handle({ query }, { runtime, caller }) {
    const { action, agent, since, until, execution_id: executionId, ...rest } = query;
    const isAdmin = hasRight(caller, "admin");
    const seen = caller.agents;
    const agentIds = seen === undefined ? agent : agent?.filter((id) => seen.includes(id)) ?? seen;
    const records = await runtime.audit.listRecords({
      ...rest,
      executionId,
      actions: action && [action],
      agentIds,
      ofAgents: !isAdmin,
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
    });
    return isAdmin ? records : records.map((one) => ({ ...one, address: null }));
  },
});
