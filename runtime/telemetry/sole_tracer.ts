// Restricts the exported spans of this process to Inkling's own.
import { INVALID_SPAN_CONTEXT, trace, type Tracer } from "@opentelemetry/api";

/** The key under which the original startSpan() is stored on the prototype that all tracers share. */
const ORIGINAL = Symbol("startSpan");

/** Returns the only tracer of this process whose spans are exported. */
export function soleTracer(version: string): Tracer {
  const tracer = trace.getTracer("inkling", version);
  tracer.startSpan = replaceStartSpan(tracer);
  return tracer;
}

/**
 * Drops every span of other tracers. Decision: Deno traces each HTTP request with its whole address, which may contain a
 * token, and a library may trace texts. Rejected: a setting, because Deno has none that disables only its own spans.
 */
export function dropOtherSpans(): void {
  replaceStartSpan(trace.getTracer("inkling"));
}

function replaceStartSpan(tracer: Tracer): Tracer["startSpan"] {
  const shared: Tracer & { [ORIGINAL]?: Tracer["startSpan"] } = Object.getPrototypeOf(tracer);
  const original = shared[ORIGINAL] ?? shared.startSpan;
  shared[ORIGINAL] = original;
  shared.startSpan = () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  return original;
}
