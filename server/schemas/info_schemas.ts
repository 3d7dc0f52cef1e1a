// The wire of the service itself: what it is and is doing, and asking it to stop.
import { z } from "zod";
import { AgentErrorBody, DiagnosticBody } from "./diagnostic_schemas.ts";
import { schedulerStatus } from "./scheduler_schemas.ts";
import { count, timestamp } from "./wire_values.ts";

/** GET /info. */
export const InfoBody = z.object({
  version: z.string(),
  pid: z.int(),
  uptime_seconds: z.number(),
  agents_loaded: count,
  agents_enabled: count,
  scheduler_status: schedulerStatus,
  watcher_active: z.boolean(),
  active_streams: count,
  active_executions: count,
  waiting_executions: count,
  started_at: timestamp,
  workspace: z.string(),
  state_dir: z.string(),
  log_file: z.string(),
  transports: z.array(z.string()).meta({
    description: "`unix:/path/to/socket`, `tcp://host:port`",
  }),
  keep_alive: z.boolean(),
  agent_errors: z.array(AgentErrorBody),
  agent_warnings: z.array(AgentErrorBody).meta({
    description: "Agents that run, with the problems of their files or surroundings",
  }),
  config_warnings: z.array(DiagnosticBody).meta({
    description: "What is doubtful in `config.yaml`: unknown keys and the like",
  }),
}).meta({ id: "Info" });
export type InfoBody = z.infer<typeof InfoBody>;

/** POST /shutdown. */
export const ShutdownBody = z.object({ message: z.string() }).meta({ id: "Shutdown" });
export type ShutdownBody = z.infer<typeof ShutdownBody>;
