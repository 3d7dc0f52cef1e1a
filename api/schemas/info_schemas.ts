// The schemas of the service's state and of its shutdown.
import { z } from "zod";
import { AgentErrorBody, DiagnosticBody } from "./diagnostic_schemas.ts";
import { schedulerStatus, triggersHeld } from "./scheduler_schemas.ts";
import { SERVICE_MANAGERS } from "../../runtime/vocabulary/service_managers.ts";
import { count, timestamp } from "./wire_values.ts";

/** A service that shares the database. */
export const NodeBody = z.object({
  name: z.string(),
  version: z.string(),
  labels: z.array(z.string()),
  started_at: timestamp,
  silent_seconds: z.number().meta({
    description: "Seconds since its last heartbeat; it sends one every few seconds",
  }),
  alive: z.boolean().meta({
    description:
      "True if the heartbeat is recent. Other nodes take over the executions of a dead node",
  }),
  running_executions: count.meta({ description: "Number of executions that it runs" }),
  this_node: z.boolean().meta({ description: "True for the node that responds" }),
}).meta({ id: "Node" });
export type NodeBody = z.infer<typeof NodeBody>;

/** The response of GET /info. */
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
  active_executions: count.meta({ description: "Number of running executions that do not rest" }),
  waiting_executions: count,
  resting_executions: count,
  started_at: timestamp,
  workspace: z.string(),
  state_dir: z.string(),
  log_file: z.string(),
  transports: z.array(z.string()).meta({
    description: "`unix:/path/to/socket`, `tcp://host:port`",
  }),
  keep_alive: z.boolean(),
  service_manager: z.enum(SERVICE_MANAGERS).nullable().meta({
    description: "The program that started the service and restarts it; null: none",
  }),
  channels: z.array(z.object({ name: z.string(), test: z.enum(["accepted", "failed", "none"]) }))
    .meta({
      description:
        "The channels of messages, and the result of the last test of each with its present settings",
    }),
  storage: z.object({ kind: z.enum(["sqlite", "postgres"]), place: z.string() }).optional().meta({
    description: "The kind of the database, and its file or its address without the password",
  }),
  nodes: z.array(NodeBody).optional().meta({
    description:
      "Only with PostgreSQL: the nodes that share the database, including those that died within the last hour",
  }),
  agent_errors: z.array(AgentErrorBody),
  agent_warnings: z.array(AgentErrorBody).meta({
    description: "Agents that run, with the warnings about their files or their environment",
  }),
  config_warnings: z.array(DiagnosticBody).meta({
    description: "Warnings about `config.yaml`, such as unknown keys",
  }),
}).meta({ id: "Info" });
export type InfoBody = z.infer<typeof InfoBody>;

/** The response of POST /shutdown. */
export const ShutdownBody = z.object({ message: z.string() }).meta({ id: "Shutdown" });
