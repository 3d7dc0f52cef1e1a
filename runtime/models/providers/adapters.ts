// The adapters by name. Each module is loaded when its adapter is first used.
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

/** The adapter, address, key and name of a model. All agents with an equal connection share one Model object. */
export interface ModelConnection extends Omit<AdapterOptions, "clock" | "remark"> {
  adapter: AdapterName;
  /** True to request token counts in the stream, in formats that send them only on request. */
  streamUsage: boolean;
}

/** Creates the model of a connection. Throws ModelError for an invalid name. */
export async function openAdapter(
  { adapter, ...options }: ModelConnection,
  ports: Pick<AdapterOptions, "clock" | "remark">,
): Promise<Model> {
  const create = await CREATORS[adapter]();
  return create({ ...options, ...ports });
}
