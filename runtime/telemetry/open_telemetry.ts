// Reports telemetry through the OpenTelemetry API: a span for each execution, model call and tool call, and metrics. Deno
// exports them if the process starts with OTEL_DENO=true. A telemetry error never reaches a run (see tracing.ts).
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
import { parentContext, Tracing, type TracingPorts } from "./tracing.ts";

export interface OpenTelemetryPorts extends TracingPorts {
  meter: Pick<Meter, "createCounter" | "createHistogram">;
}

/** Creates the telemetry with Deno's tracer and meter. Must be called once in a process. */
export function openTelemetry(
  { version, ...ports }: { version: string; clock: Clock; log: ServiceLog },
): OpenTelemetry {
  return new OpenTelemetry({
    tracer: soleTracer(version),
    meter: metrics.getMeter("inkling", version),
    ...ports,
  });
}

/** Reports runs as spans and metrics. The exporter's first error is logged. No error reaches a run. */
export class OpenTelemetry implements Telemetry {
  readonly #tracing: Tracing;
  readonly #instruments: Instruments;

  constructor(ports: OpenTelemetryPorts) {
    this.#tracing = new Tracing(ports);
    this.#instruments = new Instruments(ports.meter);
  }

  async execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void> {
    const { displayName, model } = execution;
    await this.#tracing.trace({
      name: `invoke_agent ${displayName}`,
      kind: SpanKind.INTERNAL,
      attributes: executionAttributes(execution),
      // Without this field, the parent could be an unrelated active span: the request that starts the run, or another run
      // that is ending.
      parent: parentContext(execution.parentExecutionId),
      describeEnding: (status) => ({
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
    // The model is read after the call, because a fallback model may have answered.
    const model = () => modelAttributes(asked.model.id);
    return await this.#tracing.trace({
      name: `chat ${model()["gen_ai.request.model"]}`,
      kind: SpanKind.CLIENT,
      attributes: requestAttributes(asked),
      parent: context.active(),
      describeEnding: (reply) => {
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
    return await this.#tracing.trace({
      name: `execute_tool ${call.name}`,
      kind: SpanKind.INTERNAL,
      attributes: toolAttributes(use),
      parent: context.active(),
      callingExecution: execution.id,
      describeEnding: (result) => {
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
