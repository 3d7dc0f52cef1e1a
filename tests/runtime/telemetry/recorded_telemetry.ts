// An OpenTelemetry with a tracer and a meter that record every call. A test can make each part throw.
import type { Attributes, Context, SpanStatus, Tracer } from "@opentelemetry/api";
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorage } from "node:async_hooks";
import { OpenTelemetry } from "../../../runtime/telemetry/open_telemetry.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

export interface RecordedSpan {
  name: string;
  /** The name of the parent span, or undefined for a root span. */
  parent: string | undefined;
  attributes: Attributes;
  status: SpanStatus | undefined;
  isEnded: boolean;
}

export interface RecordedPoint {
  metric: string;
  value: number;
  attributes: Attributes;
}

/** The names of the parts that can be made to throw. */
export type Breakable = "startSpan" | "setAttributes" | "setStatus" | "end" | "record" | "with";

export class RecordedTelemetry implements Disposable {
  readonly spans: RecordedSpan[] = [];
  readonly points: RecordedPoint[] = [];
  readonly clock = new TestClock();
  readonly log = new LogLines();
  readonly telemetry: OpenTelemetry;
  broken: Breakable | undefined;

  constructor() {
    this.#manageContexts();
    const record = (metric: string) => (value: number, attributes: Attributes = {}) => {
      this.#failIf("record");
      this.points.push({ metric, value, attributes });
    };
    this.telemetry = new OpenTelemetry({
      clock: this.clock,
      log: this.log,
      tracer: { startSpan: (name, options, above) => this.#startSpan(name, options, above) },
      meter: {
        createHistogram: (metric) => ({ record: record(metric) }),
        createCounter: (metric) => ({ add: record(metric) }),
      },
    });
  }

  [Symbol.dispose](): void {
    context.disable();
  }

  span(name: string): RecordedSpan {
    const found = this.spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`There is no span "${name}"`);
    return found;
  }

  #startSpan(...[name, options, above]: Parameters<Tracer["startSpan"]>) {
    this.#failIf("startSpan");
    const parent = above && trace.getSpanContext(above)?.spanId;
    const recorded: RecordedSpan = {
      name,
      parent: parent === undefined ? undefined : this.spans[Number(parent)]?.name,
      attributes: { ...options?.attributes },
      status: undefined,
      isEnded: false,
    };
    const spanId = String(this.spans.push(recorded) - 1);
    const span = trace.wrapSpanContext({ traceId: "1", spanId, traceFlags: 1 });
    return Object.assign(span, {
      setAttributes: (attributes: Attributes) => {
        this.#failIf("setAttributes");
        Object.assign(recorded.attributes, attributes);
        return span;
      },
      setStatus: (status: SpanStatus) => {
        this.#failIf("setStatus");
        recorded.status = status;
        return span;
      },
      end: () => {
        this.#failIf("end");
        recorded.isEnded = true;
      },
    });
  }

  #manageContexts(): void {
    const storage = new AsyncLocalStorage<Context>();
    context.setGlobalContextManager({
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (inner, work, self, ...args) => {
        this.#failIf("with");
        return storage.run(inner, () => work.call(self, ...args));
      },
      bind: (_inner, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
  }

  #failIf(part: Breakable): void {
    if (this.broken === part) throw new Error(`broken: ${part}`);
  }
}
