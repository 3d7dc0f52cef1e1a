// The schemas of stored conversations.
import { z } from "zod";
import { count } from "./wire_values.ts";

/** The response of GET /checkpoints. */
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

/** The request body of POST /checkpoints/purge. Strict, because a misspelled `agent` would purge every agent. */
export const PurgeBody = z.strictObject({
  agent: z.string().nullish().meta({ description: "The agent; absent for every agent" }),
  force: z.boolean().nullish().meta({
    description: "True to remove also the newest of each agent and those of waiting executions, " +
      "which it aborts",
  }),
}).meta({ id: "Purge" });

/** The number of removed conversations. */
export const PurgedBody = z.object({ purged: count }).meta({ id: "Purged" });
