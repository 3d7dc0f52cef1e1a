// Finds the key of a telemetry collector, so that it is redacted. The key is among the headers in a variable whose name
// does not look like a secret's.
import { decodePercents } from "../../base/text/percent_encoding.ts";
import { joinSecrets, type Secret, SHORTEST_SECRET } from "../secrets/secret.ts";

const VARIABLES = [
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
  "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
] as const;

/**
 * Returns a function that adds the collector's keys to the secrets, longest first. Reads the variables once, as the
 * exporter does at the start of the process.
 */
export function withCollectorSecrets(
  secrets: () => readonly Secret[],
  lookup: (name: string) => string | undefined,
): () => readonly Secret[] {
  const own = VARIABLES.flatMap((name) =>
    [...headerSecrets(lookup(name) ?? "")].map((value) => ({ name, value }))
  );
  return joinSecrets(secrets, () => own);
}

/**
 * Returns every form in which the values of `name=value,name=value` (W3C Baggage, percent-encoded) may appear: the whole
 * text, each value as written and decoded, and the part after its scheme (`Bearer …`).
 */
function headerSecrets(text: string): Set<string> {
  const found = new Set([text.trim()]);
  for (const entry of text.split(",")) {
    const value = entry.slice(entry.indexOf("=") + 1).trim();
    // The exporter sends a value that is not percent-encoded unchanged.
    const sent = decodePercents(value);
    for (const one of [value, sent]) found.add(one).add(one.replace(/^\S+\s+/, ""));
  }
  return new Set([...found].filter(({ length }) => length >= SHORTEST_SECRET));
}
