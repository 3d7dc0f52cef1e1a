// The schema of the audit.
import { z } from "zod";
import { AUDIT_ACTION_NAMES } from "../../runtime/vocabulary/audit_actions.ts";
import { count } from "./wire_values.ts";

/** A recorded change. */
export const AuditRecord = z.object({
  id: count,
  at: z.iso.datetime(),
  action: z.enum(AUDIT_ACTION_NAMES),
  via: z.string().meta({
    description: "The channel: `terminal`, `page`, `editor`, `link`, `chat`, `program`, `api`; " +
      "`disk` for a file that was changed without the service",
  }),
  name: z.string().nullable().meta({
    description: "The person or key; null for the key without a name, and for the disk",
  }),
  address: z.string().nullable().meta({ description: "The client's IP address over TCP" }),
  agent_id: z.string().nullable(),
  execution_id: count.nullable(),
  file: z.string().nullable().meta({ description: "The path of the changed file" }),
  is_done: z.boolean().meta({
    description: "False if a change of a file was intended, but is not known to be made",
  }),
  detail: z.record(z.string(), z.unknown()),
}).meta({ id: "AuditRecord" });
export type AuditRecord = z.infer<typeof AuditRecord>;
