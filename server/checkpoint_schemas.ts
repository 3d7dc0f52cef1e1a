// The wire of stored conversations.
import { z } from "zod";
import { count } from "./wire_values.ts";

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
