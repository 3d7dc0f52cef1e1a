// Opens the models of the agents of this service, and calculates the costs of their replies. This module is loaded with the
// first run.
import type { Context } from "../../config/context.ts";
import type { Agent, ModelSettings } from "../../agents/agent.ts";
import { modelChain } from "../../config/providers.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import type { ModelConnection } from "../providers/provider_model.ts";
import { openPaidModel } from "./paid_model.ts";
import { modelEndpoint } from "../endpoint.ts";
import { KnownLimits } from "../adaptation/known_limits.ts";
import { acceptsMedia } from "../adaptation/accepted_media.ts";
import { ModelPrices } from "../pricing.ts";
import { FifoSemaphore } from "../fifo_semaphore.ts";
import { RateGates } from "./rate_gate.ts";
import { requireModel, resolveConnection } from "./resolve.ts";
import { withRetry } from "./retry.ts";
import { refuseTooManyTools } from "../tool_limit.ts";
import type { CallBilling, SpendingGate } from "./spending.ts";

const loadFallback = lazyModule(() => import("./fallback.ts"));

/** The maximum number of opened models in memory. */
const KEPT_MODELS = 100;

/** Opens models and calculates costs. Each runtime has one, so that all its models share one queue. */
export class ModelSupply {
  readonly #options: Pick<Context, "clock" | "log" | "settings"> & { gate: SpendingGate };
  readonly #queue: FifoSemaphore;
  readonly #prices: ModelPrices;
  /** The opened models by connection, least recently used first. */
  readonly #kept = new Map<string, (billing: CallBilling) => Model>();
  readonly #rates: RateGates;
  /** The logged remarks about endpoints. */
  readonly #remarks = new Set<string>();
  /** The known limits by endpoint and model, least recently used first. */
  readonly #limits = new Map<string, KnownLimits>();

  /** Creates the supply. `gate` reserves money for every call. */
  constructor(options: Pick<Context, "clock" | "log" | "settings"> & { gate: SpendingGate }) {
    const { settings, clock, log } = options;
    this.#options = options;
    this.#queue = new FifoSemaphore(settings.config.maxConcurrentRuns);
    this.#rates = new RateGates({ clock, log });
    this.#prices = new ModelPrices({ files: settings.directories.pricingFiles, clock, log });
  }

  /**
   * Opens the model of an agent, with retries and with the queue of all calls. Throws ModelError if a setting or key is
   * missing. A model with fallbacks throws only at a call, and only if none of the models can be called.
   */
  async open(agent: Agent): Promise<Model> {
    const settings = requireModel(agent.model);
    if (settings.fallback === undefined) return await this.#openOne(settings, { agent });
    const { withFallback } = await loadFallback();
    const models = modelChain(settings).map((one) => ({
      id: `${one.provider}/${one.name}`,
      open: (longestWaitMs: () => number, { tools }: ModelRequest) => {
        refuseTooManyTools(one, tools.length);
        return this.#openOne(one, { agent, longestWaitMs });
      },
    }));
    return withFallback(models, this.#options.log);
  }

  async #openOne(
    settings: ModelSettings,
    { agent, longestWaitMs }: { agent: Agent; longestWaitMs?: () => number },
  ): Promise<Model> {
    const { clock, log, gate } = this.#options;
    const connection = resolveConnection(settings, this.#options);
    const createModel = await this.#keep(connection);
    const model = createModel({ gate, prices: this.#prices, model: settings, agent });
    const timeoutMs = agent.settings.timeout * 1_000;
    const rates = this.#rates.gateFor(connection);
    const { contextWindow: given } = settings;
    return withRetry(model, {
      clock,
      timeoutMs,
      log,
      queue: this.#queue,
      rates,
      ...(longestWaitMs && { longestWaitMs }),
      limits: this.#limitsOf(settings),
      accepts: (kind) => acceptsMedia(settings, kind),
      window: async () => {
        const tokens = given ?? await this.#prices.contextWindowOf(settings);
        return tokens === undefined ? undefined : { tokens, isGiven: given !== undefined };
      },
    });
  }

  /** Returns sentences about limits of the endpoints of an agent's models that were found since the process started. */
  describeLimits({ model: settings }: Agent): string[] {
    // Most endpoints have no known limits. The addresses of the agent's models are then not parsed.
    if (this.#limits.values().every((one) => one.describe().length === 0)) return [];
    return modelChain(settings).flatMap((model) => {
      const { id } = modelEndpoint(model);
      return this.#limitsOf(model).describe().map((limit) => `Model ${id}: ${limit}`);
    });
  }

  /** Returns the cost of a reply in US dollars, or null if no price is known. `id` is the model that answered. */
  async costOf(
    agent: Agent,
    reply: Pick<ModelReply, "usage" | "reportedCostUsd">,
    id?: string,
  ): Promise<number | null> {
    const answered = agent.model?.fallback?.find(({ provider, name }) =>
      `${provider}/${name}` === id
    );
    const model = answered ?? agent.model;
    return model === undefined ? reply.reportedCostUsd : await this.#prices.costOf(model, reply);
  }

  #limitsOf(settings: ModelSettings): KnownLimits {
    const { id, baseUrl } = modelEndpoint(settings);
    const key = JSON.stringify([id, baseUrl]);
    const limits = this.#limits.get(key) ?? new KnownLimits();
    keepNewest(this.#limits, key, limits);
    return limits;
  }

  /** Logs a remark about an endpoint once. */
  #remark(text: string): void {
    if (this.#remarks.has(text)) return;
    this.#remarks.add(text);
    this.#options.log.write("info", text);
  }

  async #keep(connection: ModelConnection): Promise<(billing: CallBilling) => Model> {
    const key = JSON.stringify(connection);
    const createModel = this.#kept.get(key) ?? await openPaidModel({
      ...connection,
      clock: this.#options.clock,
      remark: (text) => this.#remark(text),
    });
    keepNewest(this.#kept, key, createModel);
    return createModel;
  }
}

function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MODELS) break;
    kept.delete(oldest);
  }
}
