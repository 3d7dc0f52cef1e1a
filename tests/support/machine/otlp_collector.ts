// A telemetry collector that receives OTLP over HTTP as JSON and keeps it in memory.

/** A received span. */
export interface CollectedSpan {
  scope: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the root span of a trace. */
  parentSpanId: string;
}

/** One received point of a metric: a counter's value, or a histogram's sum. */
export interface CollectedPoint {
  scope: string;
  metric: string;
  attributes: Record<string, unknown>;
  value: number;
}

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => Array.isArray(value) ? value : [];
const object = (value: unknown): Json => Object(value);

/** A collector that listens on a free local port until it is disposed. */
export class OtlpCollector implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #bodies: { path: string; text: string }[] = [];

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (r) => {
      this.#bodies.push({ path: new URL(r.url).pathname, text: await r.text() });
      return Response.json({});
    });
  }

  /** The environment variables of a process that exports to this collector, without OTEL_DENO. */
  get environment(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#server.addr.port}`,
      OTEL_SERVICE_NAME: "inkling",
    };
  }

  /** Returns everything that was received, as unchanged text. */
  text(): string {
    return this.#bodies.map(({ text }) => text).join("\n");
  }

  spans(): CollectedSpan[] {
    return this.#scoped("/v1/traces", ["resourceSpans", "scopeSpans", "spans"]).map(
      ({ scope, item }) => ({
        scope,
        name: String(item["name"]),
        traceId: String(item["traceId"]),
        spanId: String(item["spanId"]),
        parentSpanId: String(item["parentSpanId"] ?? ""),
      }),
    );
  }

  points(): CollectedPoint[] {
    const metrics = this.#scoped("/v1/metrics", [
      ...["resourceMetrics", "scopeMetrics", "metrics"],
    ]);
    return metrics.flatMap(({ scope, item }) => {
      const data = object(item["sum"] ?? item["histogram"] ?? item["gauge"]);
      return list(data["dataPoints"]).map((point) => ({
        scope,
        metric: String(item["name"]),
        attributes: toRecord(point["attributes"]),
        value: Number(point["asDouble"] ?? point["asInt"] ?? point["sum"]),
      }));
    });
  }

  /** Returns the texts of the received log records. */
  logs(): unknown[] {
    return this.#scoped("/v1/logs", ["resourceLogs", "scopeLogs", "logRecords"])
      .map(({ item }) => valueOf(item["body"]));
  }

  #scoped(
    wanted: string,
    [resources, scopes, items]: readonly string[],
  ): { scope: string; item: Json }[] {
    return this.#bodies.filter(({ path }) => path === wanted)
      .flatMap(({ text }) => list(object(JSON.parse(text))[resources ?? ""]))
      .flatMap((resource) => list(resource[scopes ?? ""]))
      .flatMap((scope) =>
        list(scope[items ?? ""]).map((item) => ({
          scope: String(object(scope["scope"])["name"]),
          item,
        }))
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function toRecord(attributes: unknown): Record<string, unknown> {
  return Object.fromEntries(list(attributes).map(({ key, value }) => [key, valueOf(value)]));
}

/**
 * Returns the JavaScript value of an OTLP value such as `{stringValue}`: a BigInt for an integer, a number for a double.
 */
function valueOf(value: unknown): unknown {
  const [kind, inner] = Object.entries(object(value))[0] ?? [];
  if (kind === "intValue") return BigInt(String(inner));
  if (kind === "arrayValue") return list(object(inner)["values"]).map(valueOf);
  return inner;
}
