// The wire of replays and forks.
import { z } from "zod";
import { count } from "./wire_values.ts";

const ReplayDifference = z.object({
  kind: z.enum(["message", "tool", "setting", "question", "end", "log"]).meta({
    description: "What differs: what the model is sent, whether a person is asked, how the run " +
      "goes on, or the log alone",
  }),
  call: count.meta({ description: "At which call of the model, counted from 1" }),
  what: z.string(),
  recorded: z.string().nullable().meta({ description: "As it was; null where it was not" }),
  today: z.string().nullable().meta({ description: "As it would be; null where it would not be" }),
}).meta({ id: "ReplayDifference" });

/** GET /executions/{id}/replay. */
export const ReplayBody = z.object({
  identical: z.boolean(),
  steps: count.meta({
    description: "Steps (replies with the results of their calls) that are the same",
  }),
  recorded_steps: count,
  differences: z.array(ReplayDifference).meta({
    description: "Those of the first place that differs",
  }),
  notes: z.array(z.string()).meta({ description: "What could not be compared" }),
}).meta({ id: "Replay" });
export type ReplayBody = z.infer<typeof ReplayBody>;

/** What POST /executions/{id}/fork takes; every field may be absent or null. */
export const ForkBody = z.object({
  step: z.int().min(0).nullish().meta({
    description: "How many steps are taken over; 0: the opening alone. Absent: the last at which " +
      "something can still change",
  }),
  message: z.string().nullish().meta({
    description: "Said at that point; at step 0 it replaces the user turn. Blank is absent",
  }),
  model: z.string().nullish().meta({ description: "`provider/name` instead of the agent's" }),
  agent_text: z.string().nullish().meta({
    description: "The text of an agent file that holds instead of the agent's",
  }),
  start_followers: z.boolean().nullish().meta({
    description: "Whether its end starts the agents that run after this one (default: no)",
  }),
}).meta({ id: "ForkRequest" });
export type ForkBody = z.infer<typeof ForkBody>;
