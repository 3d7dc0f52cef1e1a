// Calculates the costs of replies. The price comes from the endpoint's report, otherwise from the pricing files, otherwise
// from the price table of a package, which is loaded at its first use. An unknown price is null, never zero.
import type {
  findProvider,
  ModelInfo,
  PriceCalculationResult,
  Provider,
} from "@pydantic/genai-prices";
import type { ModelSettings } from "../agents/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { type ModelReply, uncachedUsage, type Usage } from "./model.ts";
import { type Price, PriceFile, type PriceList } from "./price_file.ts";
import { lazyModule } from "../../base/lazy_module.ts";

const loadPriceTable = lazyModule(() => import("@pydantic/genai-prices"));

/** The settings of a model that select its price. */
export type PricedModel = Pick<ModelSettings, "provider" | "name" | "baseUrl">;

/** A model in the price table. Its prices are in US dollars per million tokens. */
export interface ListedModel {
  name: string;
  inputPrice: number;
  outputPrice: number;
}

/** Matches models in the price table that are not for conversations, or that cannot be called by their names. */
const OTHER_PURPOSE =
  /[:/]|image|audio|tts|transcri|realtime|live|embed|moderation|whisper|vision|instruct|search|computer|^(ada|babbage|curie|davinci|text-)/;

/** The name of the demo provider. Its models are scripts inside Inkling and cost nothing. */
const DEMO = "demo";

const NOTHING = uncachedUsage(0, 0);

/** The prices of models from all sources, in order of precedence. Each runtime has one. */
export class ModelPrices {
  readonly #files: readonly PriceFile[];
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  #reported = "";
  /** The vendor in the package's table for each provider and address. Cached, because the lookup is slow. */
  readonly #vendors = new Map<string, Provider | undefined>();

  /**
   * Creates the prices. `files` are the paths of pricing files in order of precedence. Each problem of a file is logged
   * once.
   */
  constructor(options: { files: readonly string[]; clock: Clock; log: ServiceLog }) {
    this.#files = options.files.map((path) => new PriceFile(path));
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Returns the cost of one reply in US dollars; null if no price is known and the endpoint reported no cost. */
  async costOf(
    model: PricedModel,
    reply: Pick<ModelReply, "usage" | "reportedCostUsd">,
  ): Promise<number | null> {
    if (reply.reportedCostUsd !== null) return reply.reportedCostUsd;
    return reply.usage === null ? null : await this.#cost(model, reply.usage);
  }

  /** Returns true if the price of a model is known before any reply. The endpoint may report its own costs later. */
  async hasPrice(model: PricedModel): Promise<boolean> {
    return await this.#cost(model, NOTHING) !== null;
  }

  /**
   * Returns the conversation models of a provider from the price table, newest names first. Returns an empty list for an
   * unknown provider.
   */
  async listModels(provider: string): Promise<ListedModel[]> {
    const { calcPrice, findProvider } = await loadPriceTable();
    const vendor: Provider | undefined = findProvider({ providerId: provider });
    if (vendor === undefined) return [];
    const models: readonly ModelInfo[] = vendor.models;
    const timestamp = new Date(this.#clock.now());
    const priceOf = (id: string, usage: Record<string, number>) =>
      (calcPrice(usage, id, { provider: vendor, timestamp })?.total_price ?? 0) * 1_000;
    return models
      .filter(({ id, deprecated }) => deprecated !== true && !OTHER_PURPOSE.test(id))
      .map(({ id }) => ({
        name: id,
        inputPrice: priceOf(id, { input_tokens: 1_000 }),
        outputPrice: priceOf(id, { output_tokens: 1_000 }),
      }))
      .sort((a, b) => b.name.localeCompare(a.name, "en", { numeric: true }));
  }

  /** Returns the context window of a model in tokens from the price table, or undefined if it is unknown. */
  async contextWindowOf(model: PricedModel): Promise<number | undefined> {
    if (model.provider === DEMO) return undefined;
    return (await this.#findInTable(model, NOTHING))?.model.context_window;
  }

  /** Returns the current content of the pricing files, in order of precedence. */
  lists(): PriceList[] {
    return this.#files.map((file) => file.current());
  }

  async #cost(model: PricedModel, reported: Usage): Promise<number | null> {
    const lists = this.lists();
    this.#report(lists.flatMap(({ problems }) => problems));
    const usage = consistent(reported);
    const price = findPrice(lists, priceKeysOf(model));
    if (price !== undefined) return costByPrice(price, usage);
    if (model.provider === DEMO) return 0;
    return (await this.#findInTable(model, usage))?.total_price ?? null;
  }

  async #findInTable(model: PricedModel, usage: Usage): Promise<PriceCalculationResult> {
    const { calcPrice, findProvider } = await loadPriceTable();
    const vendor = this.#vendorOf(model, findProvider);
    if (vendor === undefined) return null;
    for (const name of familyNames(model.name)) {
      const result = calcPrice(
        {
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cache_read_tokens: usage.cacheReadTokens,
          cache_write_tokens: usage.cacheWriteTokens,
        },
        name,
        { provider: vendor, timestamp: new Date(this.#clock.now()) },
      );
      if (result !== null) return result;
    }
    return null;
  }

  #vendorOf({ provider, baseUrl }: PricedModel, find: typeof findProvider): Provider | undefined {
    const key = `${provider} ${baseUrl ?? ""}`;
    if (this.#vendors.has(key)) return this.#vendors.get(key);
    const vendor = find({ providerId: provider }) ??
      (baseUrl === undefined ? undefined : find({ providerApiUrl: baseUrl }));
    this.#vendors.set(key, vendor);
    return vendor;
  }

  #report(problems: readonly Diagnostic[]): void {
    const lines = problems.map(formatDiagnostic);
    const text = lines.join("\n");
    if (text === this.#reported) return;
    this.#reported = text;
    for (const line of lines) this.#log.write("warn", line);
  }
}

/** Returns the keys in a pricing file that apply to a model, most specific first. */
export function priceKeysOf({ provider, name }: Pick<PricedModel, "provider" | "name">): string[] {
  return familyNames(name).flatMap((one) => [`${provider}/${one}`, one]);
}

/**
 * Returns the name of a model and the names of its families, most specific first: `gpt-4o` is the family of
 * `gpt-4o-2024-08-06`.
 */
export function familyNames(name: string): string[] {
  const names = [name];
  for (let rest = name;;) {
    const family = rest.replace(DATED_ENDING, "");
    if (family === rest || family === "") return names;
    names.push(family);
    rest = family;
  }
}

// Matches a date or version at the end of a name: 2024-08-06, 20240806, 08-2025, 0613 or latest, after a dash, @ or colon.
const DATED_ENDING =
  /[-@:](?:20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])-20\d\d|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|latest)$/;

function findPrice(lists: readonly PriceList[], keys: readonly string[]): Price | undefined {
  for (const { prices } of lists) {
    for (const key of keys) {
      const price = prices.get(key);
      if (price !== undefined) return price;
    }
  }
  return undefined;
}

function costByPrice(price: Price, usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const { input, output, cache_read = input, cache_write = input } = price;
  const fresh = inputTokens - cacheReadTokens - cacheWriteTokens;
  const millionths = fresh * input + cacheReadTokens * cache_read +
    cacheWriteTokens * cache_write + outputTokens * output;
  return millionths / 1_000_000;
}

/** Returns consistent counts for contradictory counts of an endpoint: cached tokens are part of the input. */
function consistent(usage: Usage): Usage {
  const cacheReadTokens = Math.min(usage.cacheReadTokens, usage.inputTokens);
  const cacheWriteTokens = Math.min(usage.cacheWriteTokens, usage.inputTokens - cacheReadTokens);
  return { ...usage, cacheReadTokens, cacheWriteTokens };
}
