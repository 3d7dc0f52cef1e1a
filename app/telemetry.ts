// Whether Deno exports telemetry, and what reports runs to it then.
import type { OpenRuntimeOptions } from "../runtime/mod.ts";

/** Whether OTEL_DENO has Deno export telemetry: then Deno itself registers this name. */
export const isExporting = Symbol.for("opentelemetry.js.api.1") in globalThis;
/** Drops the spans that Deno would report by itself. To be called before anything is fetched or served. */
export async function dropOtherSpans(): Promise<void> {
  if (!isExporting) return;
  const { dropOtherSpans } = await import("../runtime/telemetry/sole_tracer.ts");
  dropOtherSpans();
}

/** Reports every run, where Deno exports telemetry. */
export async function openTelemetry(
  ports: { version: string } & Pick<Required<OpenRuntimeOptions>, "clock" | "log">,
): Promise<Pick<OpenRuntimeOptions, "telemetry">> {
  if (!isExporting) return {};
  const { openTelemetry } = await import("../runtime/telemetry/open_telemetry.ts");
  return { telemetry: openTelemetry(ports) };
}
