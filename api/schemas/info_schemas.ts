// The wire of the service itself: what it is and is doing, and asking it to stop.
import { z } from "zod";
import { AgentErrorBody, DiagnosticBody } from "./diagnostic_schemas.ts";
import { schedulerStatus, triggersHeld } from "./scheduler_schemas.ts";
import { count, timestamp } from "./wire_values.ts";

/** One of the services that share a database. */
export const NodeBody = z.object({
  name: z.string(),
  version: z.string(),
  labels: z.array(z.string()),
  started_at: timestamp,
  silent_seconds: z.number().meta({
    description: "How long ago it gave its last sign of life; it gives one every few seconds",
  }),
  alive: z.boolean().meta({
    description: "Whether that is recent enough; what a dead one ran is given to others",
  }),
  running_executions: count.meta({ description: "How many executions it has taken that run" }),
  this_node: z.boolean().meta({ description: "Whether it is the one that answers" }),
}).meta({ id: "Node" });
export type NodeBody = z.infer<typeof NodeBody>;

/** GET /info. */
export const InfoBody = z.object({
  version: z.string(),
  pid: z.int(),
  uptime_seconds: z.number(),
  agents_loaded: count,
  agents_enabled: count,
  scheduler_status: schedulerStatus,
  triggers_held: triggersHeld,
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
  storage: z.object({ kind: z.enum(["sqlite", "postgres"]), place: z.string() }).optional().meta({
    description: "The kind of the database, and its file or its address without a password",
  }),
  nodes: z.array(NodeBody).optional().meta({
    description:
      "Only with PostgreSQL: the services that share the database, and those that died within the last hour",
  }),
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
