// Reports telemetry through the OpenTelemetry API: a span for each execution, model call and tool call, and metrics. Deno
// exports them if the process starts with OTEL_DENO=true. A telemetry error never reaches a run.
import {
  type Attributes,
  context,
  createContextKey,
  type Histogram,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Context } from "../config/context.ts";
import type { Execution } from "../executions/execution.ts";
import type { ExecutionStatus } from "../executions/states.ts";
import type { AskedModel, Telemetry, ToolUse } from "../executions/loop/telemetry.ts";
import type { ModelReply } from "../models/model.ts";
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

/** The description of work that gets a span. */
interface TracedWork<T> {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** The context of the parent span. */
  parent: typeof ROOT_CONTEXT;
  /** The execution whose tool runs. Executions that the tool starts become children of this span. */
  callingExecution?: number;
  /** Returns the attributes and the error type of the span for a result of the work. */
  describeEnding(result: T): { attributes?: Attributes; errorType?: string | undefined };
  /** Gets the duration in seconds, with the attributes of `describeDuration` and the kind of a failure. */
  durations: Histogram;
  describeDuration(): Attributes;
}

const CALLER = createContextKey("the calling execution");

/** Creates the telemetry with Deno's tracer and meter. Must be called once in a process. */
export function openTelemetry(
  { version, ...shared }: { version: string } & Pick<Context, "clock" | "log">,
): OpenTelemetry {
  return new OpenTelemetry({
    tracer: soleTracer(version),
    meter: metrics.getMeter("inkling", version),
    ...shared,
  });
}

/** Reports runs as spans and metrics. The exporter's first error is logged. No error reaches a run. */
export class OpenTelemetry implements Telemetry {
  readonly #tracer: Pick<Tracer, "startSpan">;
  readonly #shared: Pick<Context, "clock" | "log">;
  readonly #instruments: Instruments;
  #isFailing = false;

  constructor(
    options: {
      tracer: Pick<Tracer, "startSpan">;
      meter: Pick<Meter, "createCounter" | "createHistogram">;
    } & Pick<Context, "clock" | "log">,
  ) {
    this.#tracer = options.tracer;
    this.#shared = options;
    this.#instruments = new Instruments(options.meter);
  }

  async execution(execution: Execution, work: () => Promise<ExecutionStatus>): Promise<void> {
    const { displayName, model, parentExecutionId } = execution;
    const around = context.active();
    await this.#trace({
      name: `invoke_agent ${displayName}`,
      kind: SpanKind.INTERNAL,
      attributes: executionAttributes(execution),
      // The active span is the parent only if a tool of the parent execution is running in it. Otherwise it could be an
      // unrelated one: the request that starts the run, or another run that is ending.
      parent: around.getValue(CALLER) === parentExecutionId ? around : ROOT_CONTEXT,
      describeEnding: (status) => ({
        attributes: { "inkling.execution.status": status },
        errorType: statusError(status),
      }),
      durations: this.#instruments.runSeconds,
      describeDuration: () => ({ "gen_ai.agent.name": displayName, ...modelAttributes(model) }),
    }, work);
  }

  async modelCall(asked: AskedModel, work: () => Promise<ModelReply>): Promise<ModelReply> {
    // The model is read after the call, because a fallback model may have answered.
    const model = () => modelAttributes(asked.model.id);
    return await this.#trace({
      name: `chat ${model()["gen_ai.request.model"]}`,
      kind: SpanKind.CLIENT,
      attributes: requestAttributes(asked),
      parent: context.active(),
      describeEnding: (reply) => {
        if (reply.usage !== null) this.#instruments.tokens(reply.usage, model());
        return { attributes: replyAttributes(reply) };
      },
      durations: this.#instruments.modelSeconds,
      describeDuration: () => ({ "gen_ai.operation.name": "chat", ...model() }),
    }, work);
  }

  async toolCall<T extends object>(use: ToolUse, work: () => Promise<T>): Promise<T> {
    const { execution, call } = use;
    return await this.#trace({
      name: `execute_tool ${call.name}`,
      kind: SpanKind.INTERNAL,
      attributes: toolAttributes(use),
      parent: context.active(),
      callingExecution: execution.id,
      describeEnding: (result) => {
        if (!("isError" in result)) return { attributes: { "inkling.tool.waiting": true } };
        return { errorType: result.isError === true ? "tool_error" : undefined };
      },
      durations: this.#instruments.toolSeconds,
      describeDuration: () => ({
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": execution.displayName,
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

  /** Runs the work exactly once inside a span. Returns the work's result and rethrows its error unchanged. */
  async #trace<T>(traced: TracedWork<T>, work: () => Promise<T>): Promise<T> {
    let done: Promise<T> | undefined;
    // Runs the work once: inside the span, or without a span if it cannot be started.
    const begin = () => done ??= Promise.try(work);
    const finish = this.#attempt(() => this.#open(traced, begin));
    try {
      const result = await begin();
      this.#attempt(() => finish?.(() => traced.describeEnding(result)));
      return result;
    } catch (error) {
      this.#attempt(() => finish?.(() => ({ errorType: thrownError(error) })));
      throw error;
    }
  }

  /** Starts the work inside a new span. Returns the function that ends the span. */
  #open<T>(
    traced: TracedWork<T>,
    begin: () => unknown,
  ): (judge: () => ReturnType<TracedWork<T>["describeEnding"]>) => void {
    const { clock } = this.#shared;
    const { name, kind, attributes, parent, callingExecution } = traced;
    const startedAt = clock.now();
    const span = this.#tracer.startSpan(name, { kind, attributes }, parent);
    const inside = trace.setSpan(parent, span);
    context.with(
      callingExecution === undefined ? inside : inside.setValue(CALLER, callingExecution),
      begin,
    );
    return (judge) => {
      try {
        const { attributes, errorType } = judge();
        const error = errorType === undefined ? {} : { "error.type": errorType };
        span.setAttributes({ ...attributes, ...error });
        if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        const seconds = Math.max(0, clock.now() - startedAt) / 1_000;
        traced.durations.record(seconds, { ...traced.describeDuration(), ...error });
      } finally {
        span.end();
      }
    };
  }

  /** Runs a step of the telemetry. Logs the first error and never throws. */
  #attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      // Logged once, because every call would fail.
      if (!this.#isFailing) {
        this.#shared.log.write("warn", "Telemetry error: exported data is incomplete", { error });
      }
      this.#isFailing = true;
      return undefined;
    }
  }
}
