// Detects Deno's telemetry export, and opens the telemetry for it.
import type { OpenRuntimeOptions } from "../runtime/mod.ts";

/** True if OTEL_DENO makes Deno export telemetry: Deno then registers this name. */
export const isExporting = Symbol.for("opentelemetry.js.api.1") in globalThis;
/** Drops the spans that Deno itself would export. Call it before anything is fetched or served. */
export async function dropOtherSpans(): Promise<void> {
  if (!isExporting) return;
  const { dropOtherSpans } = await import("../runtime/telemetry/sole_tracer.ts");
  dropOtherSpans();
}

/** Returns the telemetry of runs, if Deno exports it. */
export async function openTelemetry(
  ports: { version: string } & Pick<Required<OpenRuntimeOptions>, "clock" | "log">,
): Promise<Pick<OpenRuntimeOptions, "telemetry">> {
  if (!isExporting) return {};
  const { openTelemetry } = await import("../runtime/telemetry/open_telemetry.ts");
  return { telemetry: openTelemetry(ports) };
}
