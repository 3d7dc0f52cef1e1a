// Defines the metrics: those of the OpenTelemetry conventions, and Inkling's own for runs and cost.
import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import type { Execution } from "../executions/execution.ts";
import type { Usage } from "../models/model.ts";

const CALL_SECONDS = [
  ...[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
];
const RUN_SECONDS = [
  ...[0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Records the metrics. Durations are in seconds. */
export class Instruments {
  /** The durations of model calls in seconds. */
  readonly modelSeconds: Histogram;
  /** The durations of tool calls in seconds. */
  readonly toolSeconds: Histogram;
  /** The durations in seconds of executions until they end or wait. */
  readonly runSeconds: Histogram;
  readonly #tokens: Histogram;
  readonly #cost: Counter;
  readonly #executions: Counter;

  constructor(meter: Pick<Meter, "createCounter" | "createHistogram">) {
    const seconds = (name: string, description: string, boundaries: number[]) =>
      meter.createHistogram(name, {
        description,
        unit: "s",
        advice: { explicitBucketBoundaries: boundaries },
      });
    this.modelSeconds = seconds(
      "gen_ai.client.operation.duration",
      "Duration of model calls, with their retries",
      CALL_SECONDS,
    );
    this.toolSeconds = seconds(
      "gen_ai.execute_tool.duration",
      "Duration of tool calls",
      CALL_SECONDS,
    );
    this.runSeconds = seconds(
      "gen_ai.invoke_agent.duration",
      "Duration of executions until they end or wait for a person",
      RUN_SECONDS,
    );
    this.#tokens = meter.createHistogram("gen_ai.client.token.usage", {
      description: "Tokens of model calls",
      unit: "{token}",
      advice: { explicitBucketBoundaries: TOKENS },
    });
    this.#cost = meter.createCounter("inkling.cost", {
      description: "Cost of model calls with a known price",
      unit: "{USD}",
    });
    this.#executions = meter.createCounter("inkling.executions", {
      description: "Executions that ended",
      unit: "{execution}",
    });
  }

  /** Records the tokens of a model's reply. */
  tokens({ inputTokens, outputTokens }: Usage, model: Attributes): void {
    const attributes = { "gen_ai.operation.name": "chat", ...model };
    this.#tokens.record(inputTokens, { ...attributes, "gen_ai.token.type": "input" });
    this.#tokens.record(outputTokens, { ...attributes, "gen_ai.token.type": "output" });
  }

  /** Records the cost of a model's reply, in US dollars. */
  cost(usd: number, about: { agentId: string; model: Attributes }): void {
    this.#cost.add(usd, { "gen_ai.agent.id": about.agentId, ...about.model });
  }

  /** Counts an ended execution. */
  ended({ agentId, status, trigger }: Execution): void {
    this.#executions.add(1, {
      "gen_ai.agent.id": agentId,
      "inkling.execution.status": status,
      "inkling.execution.trigger": trigger,
    });
  }
}
