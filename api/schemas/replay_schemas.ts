// The schemas of replays and forks.
import { z } from "zod";
import { count } from "./wire_values.ts";

const ReplayDifference = z.object({
  kind: z.enum(["message", "tool", "setting", "question", "end", "log"]).meta({
    description: "The kind of the difference: in the model's input, a question to a person, the " +
      "course of the run, or only the log",
  }),
  call: count.meta({ description: "The number of the model call, counted from 1" }),
  what: z.string(),
  recorded: z.string().nullable().meta({ description: "The recorded value; null if absent" }),
  today: z.string().nullable().meta({ description: "The value today; null if absent" }),
}).meta({ id: "ReplayDifference" });

/** The response of GET /executions/{id}/replay. */
export const ReplayBody = z.object({
  identical: z.boolean(),
  steps: count.meta({
    description: "Number of identical steps; a step is a reply with the results of its calls",
  }),
  recorded_steps: count,
  differences: z.array(ReplayDifference).meta({
    description: "The differences at the first step that differs",
  }),
  notes: z.array(z.string()).meta({ description: "The parts that could not be compared" }),
}).meta({ id: "Replay" });
export type ReplayBody = z.infer<typeof ReplayBody>;

/** The request body of POST /executions/{id}/fork. Every field may be absent or null. */
export const ForkBody = z.object({
  step: z.int().min(0).nullish().meta({
    description: "Number of steps to copy; 0 copies only the opening. Default: the last step at " +
      "which the execution can still change",
  }),
  message: z.string().nullish().meta({
    description:
      "A message to add after that step; at step 0 it is sent instead of the user message. " +
      "A blank text counts as absent",
  }),
  model: z.string().nullish().meta({
    description: "The model as `provider/name`, instead of the agent's",
  }),
  agent_text: z.string().nullish().meta({
    description: "The text of an agent file, used instead of the agent's own. Needs the right to " +
      "change files",
  }),
  start_followers: z.boolean().nullish().meta({
    description:
      "True if the end of the fork starts the agents whose `after` names its agent (default: false)",
  }),
}).meta({ id: "ForkRequest" });
export type ForkBody = z.infer<typeof ForkBody>;
