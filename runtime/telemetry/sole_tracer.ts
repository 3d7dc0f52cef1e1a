// Sees to it that a process of ours exports our spans and no others.
import { INVALID_SPAN_CONTEXT, trace, type Tracer } from "@opentelemetry/api";

/** Where the way to begin a span is kept that all tracers shared. */
const TAKEN = Symbol("startSpan");

/** The only tracer of this process whose spans are exported. */
export function soleTracer(version: string): Tracer {
  const tracer = trace.getTracer("inkling", version);
  tracer.startSpan = takeStartSpan(tracer);
  return tracer;
}

/**
 * Drops every span but the sole tracer's. Decision: Deno traces each request that comes or goes with its whole address,
 * which may hold a token (an MCP server's, one that an agent asks for), and a library may trace texts (rejected: to trust
 * in settings; Deno has none that stops its own spans and not ours).
 */
export function dropOtherSpans(): void {
  takeStartSpan(trace.getTracer("inkling"));
}

function takeStartSpan(tracer: Tracer): Tracer["startSpan"] {
  const shared: Tracer & { [TAKEN]?: Tracer["startSpan"] } = Object.getPrototypeOf(tracer);
  const taken = shared[TAKEN] ?? shared.startSpan;
  shared[TAKEN] = taken;
  shared.startSpan = () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  return taken;
}
