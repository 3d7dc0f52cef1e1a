// The operations on the service itself: its state, and its shutdown.
import type { Source } from "../schemas/wire.ts";
import { type AgentErrorBody, toDiagnostic } from "../schemas/diagnostic_schemas.ts";
import type { BrokenAgentFile, ServiceNode } from "../../runtime/interface/runtime.ts";
import { InfoBody, type NodeBody, ShutdownBody } from "../schemas/info_schemas.ts";
import { operation } from "../operations/operation.ts";

export const info = operation({
  summary: "Version, state, directories and addresses of the service",
  response: InfoBody,
  async handle(_request, { runtime, lifecycle, transports, caller }) {
    const agents = await runtime.listAgents();
    const { running, waiting, resting } = await runtime.countExecutions();
    const { status, inactiveReason, watcherActive } = await runtime.scheduler();
    return {
      version: runtime.version,
      pid: Deno.pid,
      uptimeSeconds: (runtime.clock.now() - runtime.startedAt) / 1_000,
      agentsLoaded: agents.length,
      agentsEnabled: agents.filter(({ agent }) => agent.enabled).length,
      schedulerStatus: status,
      triggersHeld: inactiveReason,
      watcherActive,
      activeStreams: lifecycle.activeStreams,
      activeExecutions: running,
      waitingExecutions: waiting,
      restingExecutions: resting,
      startedAt: runtime.startedAt,
      ...{ workspace: "", stateDir: "", logFile: "", transports: [], channels: [] },
      keepAlive: lifecycle.keepAlive,
      serviceManager: lifecycle.manager ?? null,
      agentErrors: runtime.brokenAgentFiles().map(toFileProblems),
      agentWarnings: agents.filter(({ agent }) => agent.warnings.length > 0)
        .map(({ agent: { id, sourcePath: path, warnings: diagnostics } }) =>
          toFileProblems({ id, path, diagnostics })
        ),
      configWarnings: [],
      // A key for some agents does not see the machine.
      ...(caller.agents === undefined && {
        ...runtime.directories,
        transports: transports(),
        channels: await runtime.messages.tests.list(),
        storage: runtime.storage,
        nodes: runtime.storage.kind === "postgres"
          ? (await runtime.listNodes()).map(toNode)
          : undefined,
        configWarnings: runtime.config.warnings.map(toDiagnostic),
      }),
    };
  },
});

export const shutdown = operation({
  summary: "Stop the service; the response is sent first",
  response: ShutdownBody,
  async handle(_request, { lifecycle, runtime, caller }) {
    // A service whose database does not respond must stop, too.
    await runtime.audit.record("stop", caller).catch((error) => {
      runtime.log.write("warn", "The stop could not be recorded in the audit", { error });
    });
    lifecycle.requestStop("requested");
    return { message: "shutting down" };
  },
});

function toFileProblems({ diagnostics, ...file }: BrokenAgentFile): Source<typeof AgentErrorBody> {
  return { ...file, diagnostics: diagnostics.map(toDiagnostic) };
}

function toNode(node: ServiceNode): Source<typeof NodeBody> {
  return {
    ...node,
    silentSeconds: node.silentMs / 1_000,
    alive: node.isAlive,
    runningExecutions: node.runs,
    thisNode: node.isThis,
  };
}
