// Runs work inside a span and measures its duration. A telemetry error never affects the work.
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Clock } from "../../base/clock.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { thrownError } from "./attributes.ts";

/** The attributes and the error type of a span at the end of its work. */
export interface WorkEnding {
  attributes?: Attributes;
  errorType?: string | undefined;
}

/** The description of work that gets a span. */
export interface TracedWork<T> {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** The context of the parent span. */
  parent: Context;
  /** The execution whose tool runs. Executions that the tool starts become children of this span. */
  callingExecution?: number;
  /** Returns the attributes and the error type of the span for a result of the work. */
  describeEnding(result: T): WorkEnding;
  /** Records the duration in seconds. `error` contains the kind of a failure. */
  measure(seconds: number, error: Attributes): void;
}

export interface TracingPorts {
  tracer: Pick<Tracer, "startSpan">;
  clock: Clock;
  log: ServiceLog;
}

const CALLER = createContextKey("the calling execution");

/** Returns the active context if a tool of this execution is running in it. Returns the root context otherwise. */
export function parentContext(executionId: number | null): Context {
  const around = context.active();
  return around.getValue(CALLER) === executionId ? around : ROOT_CONTEXT;
}

/** Runs work inside spans. The exporter's first error is logged. No error stops the work. */
export class Tracing {
  readonly #ports: TracingPorts;
  #isFailing = false;

  constructor(ports: TracingPorts) {
    this.#ports = ports;
  }

  /** Runs the work exactly once inside a span. Returns the work's result and rethrows its error unchanged. */
  async trace<T>(traced: TracedWork<T>, work: () => Promise<T>): Promise<T> {
    let done: Promise<T> | undefined;
    // Runs the work once: inside the span, or without a span if it cannot be started.
    const begin = () => done ??= Promise.try(work);
    const finish = this.attempt(() => this.#open(traced, begin));
    try {
      const result = await begin();
      this.attempt(() => finish?.(() => traced.describeEnding(result)));
      return result;
    } catch (error) {
      this.attempt(() => finish?.(() => ({ errorType: thrownError(error) })));
      throw error;
    }
  }

  /** Runs a step of the telemetry. Logs the first error and never throws. */
  attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      // Logged once, because every call would fail.
      if (!this.#isFailing) {
        this.#ports.log.write("warn", "Telemetry error: exported data is incomplete", { error });
      }
      this.#isFailing = true;
      return undefined;
    }
  }

  /** Starts the work inside a new span. Returns the function that ends the span. */
  #open<T>(traced: TracedWork<T>, begin: () => unknown): (judge: () => WorkEnding) => void {
    const { clock, tracer } = this.#ports;
    const { name, kind, attributes, parent, callingExecution } = traced;
    const startedAt = clock.now();
    const span = tracer.startSpan(name, { kind, attributes }, parent);
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
        traced.measure(Math.max(0, clock.now() - startedAt) / 1_000, error);
      } finally {
        span.end();
      }
    };
  }
}
