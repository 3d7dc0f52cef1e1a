// Which adapter makes the calls of a model. Each is loaded when it is first used.
import type { Clock } from "../../../base/clock.ts";
import type { AdapterOptions } from "./provider_model.ts";
import type { AdapterName } from "../endpoint.ts";
import type { Model } from "../model.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

const loadDemo = lazyModule(() => import("../demo/demo.ts"));
const loadOpenAi = lazyModule(() => import("./openai.ts"));
const loadAnthropic = lazyModule(() => import("./anthropic.ts"));
const loadGoogle = lazyModule(() => import("./google.ts"));
const loadOllama = lazyModule(() => import("./ollama.ts"));

type Creator = (options: AdapterOptions & { streamUsage: boolean }) => Model;

const CREATORS: Readonly<Record<AdapterName, () => Promise<Creator>>> = {
  demo: async () => (await loadDemo()).createDemoModel,
  openai: async () => (await loadOpenAi()).createOpenAiModel,
  compatible: async () => (await loadOpenAi()).createCompatibleModel,
  anthropic: async () => (await loadAnthropic()).createAnthropicModel,
  google: async () => (await loadGoogle()).createGoogleModel,
  ollama: async () => (await loadOllama()).createOllamaModel,
};

/** All that a model's calls are made with. Where it is the same, one Model does for all who call it. */
export interface ModelReach extends Omit<AdapterOptions, "clock"> {
  adapter: AdapterName;
  /** Ask for token counts in the stream, where that has to be asked for. */
  streamUsage: boolean;
}

/** The model at the end of a reach. Throws ModelError for a name that its provider cannot have. */
export async function openAdapter(
  { adapter, ...reach }: ModelReach,
  clock: Clock,
): Promise<Model> {
  const create = await CREATORS[adapter]();
  return create({ ...reach, clock });
}
