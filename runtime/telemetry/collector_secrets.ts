// The key of a telemetry collector: it stands among headers in one variable, whose name tells nothing of a secret.
import { type Secret, SHORTEST_SECRET } from "../secrets/secret.ts";

const VARIABLES = [
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
  "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
] as const;

/**
 * `secrets` and what a collector asks for, longest first. `lookup` gives variables as they stand when the process starts:
 * the exporter reads them then and never again.
 */
export function withCollectorSecrets(
  secrets: () => readonly Secret[],
  lookup: (name: string) => string | undefined,
): () => readonly Secret[] {
  const own = VARIABLES.flatMap((name) =>
    [...headerSecrets(lookup(name) ?? "")].map((value) => ({ name, value }))
  );
  if (own.length === 0) return secrets;
  return () => [...secrets(), ...own].sort((a, b) => b.value.length - a.value.length);
}

/**
 * Every form in which a value of `name=value,name=value` (W3C Baggage, values percent-encoded) may show: all of it, one
 * value as it is written and as it is sent, and what stands behind its scheme (`Bearer …`).
 */
function headerSecrets(text: string): Set<string> {
  const found = new Set([text.trim()]);
  for (const entry of text.split(",")) {
    const value = entry.slice(entry.indexOf("=") + 1).trim();
    const sent = decode(value);
    for (const one of [value, sent]) found.add(one).add(one.replace(/^\S+\s+/, ""));
  }
  return new Set([...found].filter(({ length }) => length >= SHORTEST_SECRET));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // No encoding: it is sent as it stands.
    return value;
  }
}
