// Telemetry by OpenTelemetry's API: which work of a run has a span, and what is told of it. Deno itself exports that:
// OTEL_DENO=true switches it on when the process starts. Nothing that goes wrong here reaches a run (see tracing.ts).
import { context, type Meter, metrics, SpanKind } from "@opentelemetry/api";
import type { Clock } from "../../base/clock.ts";
import type { Execution } from "../executions/execution.ts";
import type { ExecutionStatus } from "../executions/states.ts";
import type { AskedModel, Telemetry, ToolUse } from "../executions/loop/telemetry.ts";
import type { ModelReply } from "../models/model.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import {
  executionAttributes,
  modelAttributes,
  replyAttributes,
  requestAttributes,
  statusError,
  toolAttributes,
} from "./attributes.ts";
import { Instruments } from "./instruments.ts";
import { soleTracer } from "./sole_tracer.ts";
import { activeBelowTool, Tracing, type TracingPorts } from "./tracing.ts";

/** What telemetry is told with. */
export interface OpenTelemetryPorts extends TracingPorts {
  meter: Pick<Meter, "createCounter" | "createHistogram">;
}

/** Telemetry over the tracer and the meter that Deno brings, once for each process. */
export function openTelemetry(
  { version, ...ports }: { version: string; clock: Clock; log: ServiceLog },
): OpenTelemetry {
  return new OpenTelemetry({
    tracer: soleTracer(version),
    meter: metrics.getMeter("inkling", version),
    ...ports,
  });
}

/** Tells of runs by spans and metrics. What the exporter throws is logged once and stops no run. */
export class OpenTelemetry implements Telemetry {
  readonly #tracing: Tracing;
  readonly #instruments: Instruments;

  constructor(ports: OpenTelemetryPorts) {
    this.#tracing = new Tracing(ports);
    this.#instruments = new Instruments(ports.meter);
  }

  async execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void> {
    const { displayName, model } = execution;
    await this.#tracing.follow({
      name: `invoke_agent ${displayName}`,
      kind: SpanKind.INTERNAL,
      attributes: executionAttributes(execution),
      // Whatever else is active (a request that starts it, another run that ends) is not what it belongs to.
      above: activeBelowTool(execution.parentExecutionId),
      judge: (status) => ({
        attributes: { "inkling.execution.status": status },
        errorType: statusError(status),
      }),
      measure: (seconds, error) =>
        this.#instruments.runSeconds.record(seconds, {
          "gen_ai.agent.name": displayName,
          ...modelAttributes(model),
          ...error,
        }),
    }, work);
  }

  async modelCall(asked: AskedModel, work: () => Promise<ModelReply>): Promise<ModelReply> {
    // A fallback may answer instead.
    const model = () => modelAttributes(asked.model.id);
    return await this.#tracing.follow({
      name: `chat ${model()["gen_ai.request.model"]}`,
      kind: SpanKind.CLIENT,
      attributes: requestAttributes(asked),
      above: context.active(),
      judge: (reply) => {
        if (reply.usage !== null) this.#instruments.tokens(reply.usage, model());
        return { attributes: replyAttributes(reply) };
      },
      measure: (seconds, error) =>
        this.#instruments.modelSeconds.record(seconds, {
          "gen_ai.operation.name": "chat",
          ...model(),
          ...error,
        }),
    }, work);
  }

  async toolCall<T extends object>(use: ToolUse, work: () => Promise<T>): Promise<T> {
    const { execution, call } = use;
    return await this.#tracing.follow({
      name: `execute_tool ${call.name}`,
      kind: SpanKind.INTERNAL,
      attributes: toolAttributes(use),
      above: context.active(),
      calling: execution.id,
      judge: (result) => {
        if (!("isError" in result)) return { attributes: { "inkling.tool.waiting": true } };
        return { errorType: result.isError === true ? "tool_error" : undefined };
      },
      measure: (seconds, error) =>
        this.#instruments.toolSeconds.record(seconds, {
          "gen_ai.tool.name": call.name,
          "gen_ai.tool.type": "function",
          "gen_ai.agent.name": execution.displayName,
          ...error,
        }),
    }, work);
  }

  cost({ execution, model }: AskedModel, usd: number): void {
    const about = { agentId: execution.agentId, model: modelAttributes(model.id) };
    this.#tracing.attempt(() => this.#instruments.cost(usd, about));
  }

  ended(execution: Execution): void {
    this.#tracing.attempt(() => this.#instruments.ended(execution));
  }
}
