// What the service is doing, and asking it to stop.
import { toTimestamp } from "../../base/clock.ts";
import { toDiagnostic } from "../schemas/agent_schemas.ts";
import type { ServiceNode } from "../../runtime/runtime.ts";
import { InfoBody, type NodeBody, ShutdownBody } from "../schemas/info_schemas.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";

/** /info and /shutdown. */
export const infoOperations: readonly Operation[] = [
  defineOperation({
    operationId: "info",
    summary: "Version, state and places of the service",
    response: InfoBody,
    errors: [],
    async handle(_request, { runtime, lifecycle, transports }) {
      const agents = await runtime.listAgents();
      const { running, waiting } = await runtime.countExecutions();
      const { status, heldBecause, watcherActive } = await runtime.scheduler();
      return {
        version: runtime.version,
        pid: Deno.pid,
        uptime_seconds: (runtime.clock.now() - runtime.startedAt) / 1_000,
        agents_loaded: agents.length,
        agents_enabled: agents.filter(({ agent }) => agent.enabled).length,
        scheduler_status: status,
        ...(heldBecause !== undefined && { triggers_held: heldBecause }),
        watcher_active: watcherActive,
        active_streams: lifecycle.activeStreams,
        active_executions: running,
        waiting_executions: waiting,
        started_at: toTimestamp(runtime.startedAt),
        workspace: runtime.directories.workspace,
        state_dir: runtime.directories.stateDir,
        log_file: runtime.directories.logFile,
        transports: [...transports()],
        keep_alive: lifecycle.keepAlive,
        storage: { ...runtime.storage },
        ...(runtime.storage.kind === "postgres" && {
          nodes: (await runtime.listNodes()).map(toNode),
        }),
        agent_errors: runtime.brokenAgentFiles().map(({ id, path, diagnostics }) => ({
          id,
          path,
          diagnostics: diagnostics.map(toDiagnostic),
        })),
        agent_warnings: agents.filter(({ agent }) => agent.warnings.length > 0)
          .map(({ agent: { id, sourcePath: path, warnings } }) => ({
            id,
            path,
            diagnostics: warnings.map(toDiagnostic),
          })),
        config_warnings: runtime.config.warnings.map(toDiagnostic),
      } satisfies InfoBody;
    },
  }),
  defineOperation({
    operationId: "shutdown",
    summary: "Stop the service; the response is sent first",
    response: ShutdownBody,
    errors: [],
    handle(_request, { lifecycle }) {
      lifecycle.requestStop("requested");
      return Promise.resolve({ message: "shutting down" });
    },
  }),
];

function toNode(node: ServiceNode): NodeBody {
  return {
    name: node.name,
    version: node.version,
    labels: [...node.labels],
    started_at: toTimestamp(node.startedAt),
    silent_seconds: node.silentMs / 1_000,
    alive: node.isAlive,
    running_executions: node.runs,
    this_node: node.isThis,
  };
}
