// Telemetry by OpenTelemetry's API. Deno itself exports what is told here: OTEL_DENO=true switches that on when the process
// starts. Nothing that goes wrong here reaches a run.
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Clock } from "../clock.ts";
import type { Execution, ExecutionStatus } from "../executions/execution.ts";
import type { AskedModel, Telemetry, ToolUse } from "../executions/telemetry.ts";
import type { ModelReply } from "../models/model.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import {
  executionAttributes,
  modelAttributes,
  replyAttributes,
  requestAttributes,
  statusError,
  thrownError,
  toolAttributes,
} from "./attributes.ts";
import { Instruments } from "./instruments.ts";
import { soleTracer } from "./sole_tracer.ts";

/** What telemetry is told with. */
export interface OpenTelemetryPorts {
  tracer: Pick<Tracer, "startSpan">;
  meter: Pick<Meter, "createCounter" | "createHistogram">;
  clock: Clock;
  log: ServiceLog;
}

/** How work ended. */
interface Ending {
  attributes?: Attributes;
  errorType?: string | undefined;
}

/** Work that has a span. */
interface Operation<T> {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** What its span stands below. */
  above: Context;
  /** Seen by whatever the work starts. */
  calling?: number;
  judge(result: T): Ending;
  measure(seconds: number, error: Attributes): void;
}

/** The execution whose tool is at work, for one that it starts. */
const CALLER = createContextKey("the calling execution");

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
  readonly #ports: OpenTelemetryPorts;
  readonly #instruments: Instruments;
  #isFailing = false;

  constructor(ports: OpenTelemetryPorts) {
    this.#ports = ports;
    this.#instruments = new Instruments(ports.meter);
  }

  async execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void> {
    const { displayName, model } = execution;
    // Whatever else is active (a request that starts it, another run that ends) is not what it belongs to.
    const around = context.active();
    const isCalled = around.getValue(CALLER) === execution.parentExecutionId;
    await this.#follow({
      name: `invoke_agent ${displayName}`,
      kind: SpanKind.INTERNAL,
      attributes: executionAttributes(execution),
      above: isCalled ? around : ROOT_CONTEXT,
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
    const model = modelAttributes(asked.model.id);
    return await this.#follow({
      name: `chat ${model["gen_ai.request.model"]}`,
      kind: SpanKind.CLIENT,
      attributes: requestAttributes(asked),
      above: context.active(),
      judge: (reply) => {
        if (reply.usage !== null) this.#instruments.tokens(reply.usage, model);
        return { attributes: replyAttributes(reply) };
      },
      measure: (seconds, error) =>
        this.#instruments.modelSeconds.record(seconds, {
          "gen_ai.operation.name": "chat",
          ...model,
          ...error,
        }),
    }, work);
  }

  async toolCall<T extends object>(use: ToolUse, work: () => Promise<T>): Promise<T> {
    const { execution, call } = use;
    return await this.#follow({
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
    this.#attempt(() => this.#instruments.cost(usd, about));
  }

  ended(execution: Execution): void {
    this.#attempt(() => this.#instruments.ended(execution));
  }

  async #follow<T>(operation: Operation<T>, work: () => Promise<T>): Promise<T> {
    let done: Promise<T> | undefined;
    // Once, whichever way it is come to.
    const begin = () => done ??= Promise.try(work);
    const finish = this.#attempt(() => this.#open(operation, begin));
    try {
      const result = await begin();
      this.#attempt(() => finish?.(() => operation.judge(result)));
      return result;
    } catch (error) {
      this.#attempt(() => finish?.(() => ({ errorType: thrownError(error) })));
      throw error;
    }
  }

  /** Begins the work below a span of its own; returns what ends the span. */
  #open<T>(operation: Operation<T>, begin: () => unknown): (judge: () => Ending) => void {
    const { clock, tracer } = this.#ports;
    const { name, kind, attributes, above, calling } = operation;
    const startedAt = clock.now();
    const span = tracer.startSpan(name, { kind, attributes }, above);
    const below = trace.setSpan(above, span);
    context.with(calling === undefined ? below : below.setValue(CALLER, calling), begin);
    return (judge) => {
      try {
        const { attributes, errorType } = judge();
        const error = errorType === undefined ? {} : { "error.type": errorType };
        span.setAttributes({ ...attributes, ...error });
        if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        operation.measure(Math.max(0, clock.now() - startedAt) / 1_000, error);
      } finally {
        span.end();
      }
    };
  }

  #attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      // Said once: it would fail with every call.
      if (!this.#isFailing) {
        this.#ports.log.write("warn", "Telemetry fails: what it tells is incomplete", { error });
      }
      this.#isFailing = true;
      return undefined;
    }
  }
}
