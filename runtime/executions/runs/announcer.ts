// Publishes changes of executions on the event bus, in the service log and to telemetry.
import type { Execution, RunRest } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";
import { identityOf } from "../record/frame_contents.ts";
import type { HumanRequest } from "../human_request.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import type { Resumption } from "../record/ending_store.ts";

type Ports = Pick<RunnerPorts, "events" | "log" | "redactor" | "telemetry">;

/** The final statuses that are logged as warnings. A cancelled execution is not logged as a warning. */
const FAILED: ReadonlySet<ExecutionStatus> = new Set(["error", "timeout", "orphaned"]);

/** Publishes the changes that the runner makes. */
export class Announcer {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  started(execution: Execution): void {
    const { trigger, parentExecutionId } = execution;
    this.#log("Execution started", execution, {
      trigger,
      ...(parentExecutionId !== null && { parent: parentExecutionId }),
    });
    this.#ports.events.publish({ type: "execution_started", ...identityOf(execution), trigger });
  }

  waiting(execution: Execution, request: HumanRequest): void {
    const { requestId, kind } = request;
    this.#log("Execution waits for an answer", execution, { kind });
    this.#ports.events.publish({
      type: "execution_waiting",
      ...identityOf(execution),
      requestId,
      kind,
      message: this.#ports.redactor.redact(request.message),
    });
  }

  resting(execution: Execution, { until, reason }: RunRest): void {
    this.#log("Execution rests", execution, { until: new Date(until).toISOString() });
    const event = { ...identityOf(execution), until, reason };
    this.#ports.events.publish({ type: "execution_resting", ...event });
  }

  resumed(execution: Execution): void {
    this.#log("Execution continues", execution, {});
    this.#ports.events.publish({ type: "execution_resumed", ...identityOf(execution) });
  }

  ended(execution: Execution): void {
    const { status, durationMs, startedAt, finishedAt, error } = execution;
    const level = FAILED.has(status) ? "warn" : "info";
    this.#log("Execution ended", execution, { status, error: error ?? undefined }, level);
    this.#ports.telemetry.ended(execution);
    this.#ports.events.publish({
      type: "execution_completed",
      ...identityOf(execution),
      status,
      durationMs,
      ageMs: (finishedAt ?? startedAt) - startedAt,
    });
  }

  /** Reports that the end of a run stopped its agent's trigger or re-armed it. */
  triggerChanged(
    { agentId, displayName }: Execution,
    change: NonNullable<Resumption["trigger"]>,
  ): void {
    const status = change === "running" ? change : "paused" as const;
    const why = change === "running" ? { reason: null } : change;
    this.#ports.events.publish({ type: "trigger_changed", agentId, displayName, status, ...why });
  }

  #log(
    message: string,
    { id, agentId }: Execution,
    fields: Record<string, unknown>,
    level: "info" | "warn" = "info",
  ): void {
    this.#ports.log.write(level, message, { execution: id, agent: agentId, ...fields });
  }
}
