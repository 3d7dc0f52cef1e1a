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

/** POST /checkpoints/purge. Closed: `agent` misspelt would purge every agent. */
export const PurgeBody = z.strictObject({
  agent: z.string().nullish().meta({ description: "Only this agent; absent: every agent" }),
  force: z.boolean().nullish().meta({
    description:
      "Also remove the newest of each agent and those of waiting executions, which are aborted",
  }),
}).meta({ id: "Purge" });
export type PurgeBody = z.input<typeof PurgeBody>;

/** How many conversations were removed. */
export const PurgedBody = z.object({ purged: count }).meta({ id: "Purged" });
export type PurgedBody = z.infer<typeof PurgedBody>;
