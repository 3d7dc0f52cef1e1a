// The schemas of GET /agents/{id}/plan, the plan of an agent's next run.
import { z } from "zod";
import type { AgentListing, RunPlan } from "../../runtime/interface/runtime.ts";
import type { Source } from "./wire.ts";
import { AgentDetail, toAgentDetail } from "./agent_schemas.ts";
import { schedulerStatus } from "./scheduler_schemas.ts";
import { timestamp } from "./wire_values.ts";

const PlannedMessage = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  seeded: z.boolean().meta({ description: "True if the message comes from an earlier run" }),
  tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
    .optional().meta({ description: "Of an assistant's message: its tool calls" }),
  tool_name: z.string().optional().meta({ description: "Of a tool result: the tool" }),
  tool_call_id: z.string().optional().meta({ description: "Of a tool result: the id of its call" }),
  is_error: z.boolean().optional().meta({ description: "Of a tool result: true for an error" }),
}).meta({ id: "PlannedMessage" });

/** The response of GET /agents/{id}/plan. */
export const PlanBody = z.object({
  agent: AgentDetail,
  settings: z.array(
    z.object({
      name: z.string(),
      value: z.string().meta({ description: "The value in the notation of the agent's file" }),
      from: z.enum(["file", "config", "default", "unknown"]).meta({
        description: "The agent's file, `defaults` in config.yaml, or the built-in default; " +
          "`unknown` while the file is broken",
      }),
      line: z.int().nullable().meta({ description: "The line in the source file" }),
    }).meta({ id: "EffectiveSetting" }),
  ).meta({ description: "The effective settings with their sources; the model comes first" }),
  paths: z.array(
    z.object({
      alias: z.string().nullable().meta({ description: "Null for a watched path" }),
      path: z.string().meta({ description: "The absolute path with resolved symbolic links" }),
      access: z.enum(["read", "write"]),
      exists: z.boolean(),
    }),
  ),
  tools: z.array(
    z.object({
      name: z.string().meta({ description: "The name for the model" }),
      source: z.enum(["builtin", "delegation", "skills", "custom", "mcp"]),
      server: z.string().nullable().meta({ description: "The MCP server of the tool" }),
      guarded: z.boolean().meta({ description: "True if its calls need approval" }),
      effect: z.enum(["read", "idempotent", "unsafe", "varies"]).meta({
        description: "The effect of a call; `varies` if it depends on the arguments",
      }),
    }).meta({ id: "PlannedTool" }),
  ),
  problems: z.array(z.string()).meta({
    description: "The reasons why a run would fail before its first model call; `tools` and " +
      "`messages` omit the unavailable parts",
  }),
  notices: z.array(z.string()).meta({ description: "The warnings of a run" }),
  trigger: z.enum(["manual", "schedule"]).meta({ description: "The trigger of the planned run" }),
  setup: z.array(z.string()).optional().meta({
    description: "The settings to enter at the sender of its webhook, one per line",
  }),
  key: z.object({ variable: z.string(), is_set: z.boolean() }).meta({ id: "ModelKey" }).nullable()
    .meta({
      description: "The environment variable with the model's API key; null if it needs no key",
    }),
  upcoming: z.array(timestamp).meta({ description: "The next scheduled times" }),
  scheduler_status: schedulerStatus,
  messages: z.array(PlannedMessage).nullable().meta({
    description: "With `prompt=true`: the messages of the first model call, with redacted secrets",
  }),
}).meta({ id: "Plan" });
export type PlanBody = z.infer<typeof PlanBody>;

/** Converts a plan to a source for toWire(). */
export function toPlan(listing: AgentListing, plan: RunPlan): Source<typeof PlanBody> {
  return {
    ...plan,
    agent: toAgentDetail(listing),
    schedulerStatus: plan.schedulerState,
    messages: plan.messages?.map(({ message, seeded }) => ({ ...message, seeded })),
  };
}
