// The wire of what is done with agents beside running them: reading their files, resuming their triggers, letting them call a
// tool unasked.
import { z } from "zod";
import { droppedChanges } from "./scheduler_schemas.ts";
import { count } from "./wire_values.ts";

/** POST /agents/reload. */
export const ReloadBody = z.object({
  agents_loaded: count,
  added: z.array(z.string()),
  updated: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.array(z.object({ path: z.string(), line: z.int(), message: z.string() })),
}).meta({ id: "Reload" });
export type ReloadBody = z.infer<typeof ReloadBody>;

/** POST /agents/{id}/resume. */
export const AgentResumed = z.object({
  agent_id: z.string(),
  resumed: z.boolean().meta({ description: "False: its trigger was not stopped, or stays so" }),
  trigger_paused: z.string().nullable().meta({ description: "Why it stays stopped" }),
  dropped_changes: droppedChanges,
}).meta({ id: "AgentResumed" });
export type AgentResumed = z.infer<typeof AgentResumed>;

/** POST /agents/{id}/auto-approve. */
export const AutoApproveBody = z.object({
  tool: z.string().min(1).meta({
    description: "By its name, or `server/tool` for one of an MCP server",
  }),
  write: z.boolean().meta({ description: "false only shows what would change" }),
}).meta({ id: "AutoApprove" });
export type AutoApproveBody = z.infer<typeof AutoApproveBody>;

/** What became of the agent's file, or would. */
export const AutoApproved = z.object({
  path: z.string().meta({ description: "The agent's file, absolute" }),
  diff: z.string().meta({ description: "As in Preview; empty where nothing has to change" }),
  written: z.boolean(),
  already: z.boolean().meta({ description: "Nobody is asked about this tool as it is" }),
}).meta({ id: "AutoApproved" });
export type AutoApproved = z.infer<typeof AutoApproved>;
