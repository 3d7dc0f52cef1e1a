// The wire of questions to people and of stored conversations: a chapter of schemas.ts.
import { z } from "zod";

const executionId = z.int();
const count = z.int().nonnegative();
const timestamp = z.iso.datetime();

/** GET /executions/{id}/pending. */
export const PendingBody = z.object({
  execution_id: executionId,
  request_id: z.string().meta({ description: "Opaque; the answer names it" }),
  kind: z.enum(["confirm", "input", "choice"]),
  message: z.string(),
  tool_name: z.string(),
  tool_args: z.record(z.string(), z.json()),
  options: z.array(z.string()).nullable(),
  multi: z.boolean().meta({ description: "Whether several options may be selected" }),
  created_at: timestamp,
  expires_at: timestamp.nullable().meta({ description: "When it counts as denied" }),
}).meta({ id: "Pending" });
export type PendingBody = z.infer<typeof PendingBody>;

/** POST /executions/{id}/respond: the answer by the kind of the request. */
export const RespondBody = z.object({
  request_id: z.string(),
  response: z.union([
    z.strictObject({ approved: z.boolean(), reason: z.string().nullish() }),
    z.strictObject({ text: z.string() }),
    z.strictObject({ selected: z.array(z.string()) }),
  ]),
}).meta({ id: "Respond" });
export type RespondBody = z.infer<typeof RespondBody>;

/** The answer was taken. */
export const RespondAccepted = z.object({
  status: z.literal("resuming"),
  execution_id: executionId,
}).meta({ id: "Responded" });
export type RespondAccepted = z.infer<typeof RespondAccepted>;

/** GET /checkpoints. */
export const CheckpointsBody = z.object({
  path: z.string(),
  size_bytes: count,
  threads: count,
  agents: z.array(z.object({
    agent_id: z.string(),
    threads: count,
    messages: count,
    bytes: count,
  })),
}).meta({ id: "Checkpoints" });
export type CheckpointsBody = z.infer<typeof CheckpointsBody>;

/** POST /checkpoints/purge. */
export const PurgeBody = z.object({
  agent: z.string().nullish(),
  force: z.boolean().nullish(),
}).meta({ id: "Purge" });
export type PurgeBody = z.input<typeof PurgeBody>;

/** How many conversations went. */
export const PurgedBody = z.object({ purged: count }).meta({ id: "Purged" });
export type PurgedBody = z.infer<typeof PurgedBody>;
