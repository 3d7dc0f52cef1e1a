// The wire of what is done with agents beside running them, and the way there: reading their files, resuming their triggers.
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
