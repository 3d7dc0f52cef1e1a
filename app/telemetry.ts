// Detects whether Deno exports telemetry, and opens the telemetry of runs in this case.
import type { OpenRuntimeOptions } from "../runtime/mod.ts";

/** True if Deno exports telemetry because of OTEL_DENO. Deno then registers this symbol. */
export const isExporting = Symbol.for("opentelemetry.js.api.1") in globalThis;
/** Drops the spans that Deno itself would export. Must be called before the first request is sent or served. */
export async function dropOtherSpans(): Promise<void> {
  if (!isExporting) return;
  const { dropOtherSpans } = await import("../runtime/telemetry/sole_tracer.ts");
  dropOtherSpans();
}

/** Returns the telemetry of runs, or undefined if Deno exports none. */
export async function openTelemetry(
  ports: { version: string } & Pick<Required<OpenRuntimeOptions>, "clock" | "log">,
): Promise<Pick<OpenRuntimeOptions, "telemetry">> {
  if (!isExporting) return {};
  const { openTelemetry } = await import("../runtime/telemetry/open_telemetry.ts");
  return { telemetry: openTelemetry(ports) };
}
