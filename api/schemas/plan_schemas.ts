// The wire of GET /agents/{id}/plan: what the next run of an agent would be.
import { z } from "zod";
import type { AgentListing, RunPlan } from "../../runtime/runtime.ts";
import type { Source } from "../operations/wire.ts";
import { AgentDetail, toAgentDetail } from "./agent_schemas.ts";
import { schedulerStatus } from "./scheduler_schemas.ts";
import { timestamp } from "./wire_values.ts";

const PlannedMessage = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  seeded: z.boolean().meta({ description: "Whether an earlier run left it" }),
  tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
    .optional().meta({ description: "Of an assistant's message: the calls that it asked for" }),
  tool_name: z.string().optional().meta({ description: "Of a tool's result" }),
  tool_call_id: z.string().optional().meta({ description: "Of a tool's result: whose it is" }),
  is_error: z.boolean().optional().meta({ description: "Of a tool's result" }),
}).meta({ id: "PlannedMessage" });

/** GET /agents/{id}/plan. */
export const PlanBody = z.object({
  agent: AgentDetail,
  settings: z.array(
    z.object({
      name: z.string(),
      value: z.string().meta({ description: "As a person would write it" }),
      from: z.enum(["file", "config", "default", "unknown"]).meta({
        description: "Who says so: the agent's file, `defaults` in config.yaml, or nobody; " +
          "`unknown` while the file is broken and its last good version holds",
      }),
      line: z.int().nullable().meta({ description: "The line in that file" }),
    }).meta({ id: "EffectiveSetting" }),
  ).meta({ description: "The settings that hold, and where each comes from; the model first" }),
  paths: z.array(
    z.object({
      alias: z.string().nullable().meta({ description: "Null for a watched path" }),
      path: z.string().meta({ description: "Absolute, symbolic links resolved" }),
      access: z.enum(["read", "write"]),
      exists: z.boolean(),
    }),
  ),
  tools: z.array(
    z.object({
      name: z.string().meta({ description: "As the model calls it" }),
      source: z.enum(["builtin", "delegation", "skills", "custom", "mcp"]),
      server: z.string().nullable().meta({ description: "The MCP server that it is from" }),
      guarded: z.boolean().meta({ description: "Whether a call waits for a person" }),
      effect: z.enum(["read", "idempotent", "unsafe", "varies"]).meta({
        description: "What a call does; `varies`: its arguments decide",
      }),
    }).meta({ id: "PlannedTool" }),
  ),
  problems: z.array(z.string()).meta({
    description: "Why a run would fail before it sends anything; what is not available is left " +
      "out of `tools` and `messages`",
  }),
  notices: z.array(z.string()).meta({ description: "What a run would be warned of" }),
  trigger: z.enum(["manual", "schedule"]).meta({ description: "What begins the run that is told" }),
  setup: z.array(z.string()).optional().meta({
    description: "The lines to enter at the sender of its webhook",
  }),
  key: z.object({ variable: z.string(), is_set: z.boolean() }).meta({ id: "ModelKey" }).nullable()
    .meta({
      description: "The variable with the model's key; null where no key is used",
    }),
  upcoming: z.array(timestamp).meta({ description: "The next times at which it is due" }),
  scheduler_status: schedulerStatus,
  messages: z.array(PlannedMessage).nullable().meta({
    description: "With `prompt=true` what the model would be sent first, without secrets",
  }),
}).meta({ id: "Plan" });
export type PlanBody = z.infer<typeof PlanBody>;

/** A plan by the names of the wire. */
export function toPlan(listing: AgentListing, plan: RunPlan): Source<typeof PlanBody> {
  return {
    ...plan,
    agent: toAgentDetail(listing),
    schedulerStatus: plan.schedulerState,
    messages: plan.messages?.map(({ message, seeded }) => ({ ...message, seeded })),
  };
}
