// The models of this service's agents, and what their replies cost. Loaded with the first run.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { type ModelReach, openAdapter } from "./providers/adapters.ts";
import type { Model, ModelReply } from "./model.ts";
import { ModelPrices } from "./pricing.ts";
import { ModelQueue, withQueue } from "./queue.ts";
import { resolveReach } from "./resolve.ts";
import { withRetry } from "./retry.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { WorkspaceSettings } from "../config/settings.ts";

/** More than agents differ in their models, and few enough to be held in memory. */
const KEPT_MODELS = 100;

/** Opens models and knows their prices. One per runtime: all of its models share one queue. */
export class ModelSupply {
  readonly #options: { settings: WorkspaceSettings; clock: Clock; log: ServiceLog };
  readonly #queue: ModelQueue;
  readonly #prices: ModelPrices;
  /** By reach, the least recent first: a package's client takes longer to set up than to use. */
  readonly #kept = new Map<string, Model>();

  constructor(options: { settings: WorkspaceSettings; clock: Clock; log: ServiceLog }) {
    const { settings, clock, log } = options;
    this.#options = options;
    this.#queue = new ModelQueue({ limit: settings.config.maxConcurrentRuns, log });
    this.#prices = new ModelPrices({ files: settings.directories.pricingFiles, clock, log });
  }

  /** The model of an agent: with retries, and queued with all others. Throws ModelError with what is missing. */
  async open(agent: Agent): Promise<Model> {
    const { settings: { config, directories, environment }, clock, log } = this.#options;
    const reach = resolveReach(agent.model, {
      environment,
      environmentFile: directories.workspaceEnvFile,
      pinKeys: config.pinKeys,
      log,
    });
    const model = await this.#keep(reach);
    const timeoutMs = agent.settings.timeout * 1_000;
    return withQueue(withRetry(model, { clock, timeoutMs, log }), this.#queue);
  }

  /** What a reply of an agent's model cost in US dollars; null where no price is known. */
  async costOf({ model }: Agent, reply: ModelReply): Promise<number | null> {
    return model === undefined ? reply.reportedCostUsd : await this.#prices.costOf(model, reply);
  }

  async #keep(reach: ModelReach): Promise<Model> {
    const key = JSON.stringify(reach);
    const model = this.#kept.get(key) ?? await openAdapter(reach, this.#options.clock);
    this.#kept.delete(key);
    this.#kept.set(key, model);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MODELS) break;
      this.#kept.delete(oldest);
    }
    return model;
  }
}
