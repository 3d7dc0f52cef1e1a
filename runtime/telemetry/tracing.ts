// Work below spans: begun, ended and measured so that nothing that goes wrong with the telling touches the work.
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

/** How work ended. */
export interface WorkEnding {
  attributes?: Attributes;
  errorType?: string | undefined;
}

/** Work that has a span. */
export interface TracedWork<T> {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** What its span stands below. */
  above: Context;
  /** The execution whose tool is at work, for another one that it starts. */
  calling?: number;
  /** How it ended with this result. */
  judge(result: T): WorkEnding;
  /** Is told how long it took; `error` holds the kind of its failure, if it failed. */
  measure(seconds: number, error: Attributes): void;
}

/** What spans are made with. */
export interface TracingPorts {
  tracer: Pick<Tracer, "startSpan">;
  clock: Clock;
  log: ServiceLog;
}

const CALLER = createContextKey("the calling execution");

/** The active context where a tool of this execution is at work in it, else the root. */
export function activeBelowTool(executionId: number | null): Context {
  const around = context.active();
  return around.getValue(CALLER) === executionId ? around : ROOT_CONTEXT;
}

/** Tells of work by spans. What the exporter throws is logged once and stops nothing. */
export class Tracing {
  readonly #ports: TracingPorts;
  #isFailing = false;

  constructor(ports: TracingPorts) {
    this.#ports = ports;
  }

  /** Does the work, once, below a span of its own; its result and its error are passed on as they are. */
  async follow<T>(traced: TracedWork<T>, work: () => Promise<T>): Promise<T> {
    let done: Promise<T> | undefined;
    // Once, whichever way it is come to.
    const begin = () => done ??= Promise.try(work);
    const finish = this.attempt(() => this.#open(traced, begin));
    try {
      const result = await begin();
      this.attempt(() => finish?.(() => traced.judge(result)));
      return result;
    } catch (error) {
      this.attempt(() => finish?.(() => ({ errorType: thrownError(error) })));
      throw error;
    }
  }

  /** Does what only tells; what it throws is logged once, and comes to nobody else. */
  attempt<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      // Said once: it would fail with every call.
      if (!this.#isFailing) {
        this.#ports.log.write("warn", "Telemetry error: exported data is incomplete", { error });
      }
      this.#isFailing = true;
      return undefined;
    }
  }
  /** Begins the work below a span of its own; returns what ends the span. */
  #open<T>(traced: TracedWork<T>, begin: () => unknown): (judge: () => WorkEnding) => void {
    const { clock, tracer } = this.#ports;
    const { name, kind, attributes, above, calling } = traced;
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
        traced.measure(Math.max(0, clock.now() - startedAt) / 1_000, error);
      } finally {
        span.end();
      }
    };
  }
}
