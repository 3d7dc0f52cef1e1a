// The schemas of actions on agents: reload, resume, and auto-approve.
import { z } from "zod";
import { droppedChanges } from "./scheduler_schemas.ts";
import { count } from "./wire_values.ts";

/** The response of POST /agents/reload. */
export const ReloadBody = z.object({
  agents_loaded: count,
  added: z.array(z.string()),
  updated: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.array(z.object({ path: z.string(), line: z.int(), message: z.string() })),
}).meta({ id: "Reload" });

/** The response of POST /agents/{id}/resume. */
export const AgentResumed = z.object({
  agent_id: z.string(),
  resumed: z.boolean().meta({
    description: "False if its trigger was not stopped, or remains stopped",
  }),
  trigger_paused: z.string().nullable().meta({
    description: "The reason why it remains stopped; otherwise null",
  }),
  dropped_changes: droppedChanges,
}).meta({ id: "AgentResumed" });
export type AgentResumed = z.infer<typeof AgentResumed>;

/** The request body of POST /agents/{id}/auto-approve. */
export const AutoApproveBody = z.object({
  tool: z.string().min(1).meta({
    description: "The name of the tool, or `server/tool` for one of an MCP server",
  }),
  command: z.string().optional().meta({
    description:
      "A command of the tool `shell`: adds the narrowest patterns that allow it to `shell.allow` instead",
  }),
  write: z.boolean().meta({ description: "false returns the diff without writing the file" }),
}).meta({ id: "AutoApprove" });

/** The change of the agent's file, which is the response of POST /agents/{id}/auto-approve. */
export const AutoApproved = z.object({
  path: z.string().meta({ description: "The absolute path of the agent's file" }),
  diff: z.string().meta({ description: "As in Preview; empty if nothing has to change" }),
  written: z.boolean(),
  already: z.boolean().meta({ description: "True if the tool already needs no approval" }),
}).meta({ id: "AutoApproved" });
