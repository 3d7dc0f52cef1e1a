// The adapters by name. Each module is loaded when its adapter is first used.
import type { AdapterName } from "../../config/providers.ts";
import type { AdapterOptions } from "./provider_model.ts";
import type { Model } from "../model.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

const loadDemo = lazyModule(() => import("../demo/demo.ts"));
const loadOpenAi = lazyModule(() => import("./openai.ts"));
const loadAnthropic = lazyModule(() => import("./anthropic.ts"));
const loadGoogle = lazyModule(() => import("./google.ts"));
const loadOllama = lazyModule(() => import("./ollama.ts"));

type Creator = (options: AdapterOptions & { streamUsage: boolean }) => Promise<Model>;

const CREATORS: Readonly<Record<AdapterName, Creator>> = {
  demo: async (options) => (await loadDemo()).createDemoModel(options),
  openai: async (options) =>
    (await loadOpenAi()).createOpenAiModel({ ...options, flavour: "openai" }),
  compatible: async (options) =>
    (await loadOpenAi()).createOpenAiModel({ ...options, flavour: "compatible" }),
  anthropic: async (options) => (await loadAnthropic()).createAnthropicModel(options),
  google: async (options) => (await loadGoogle()).createGoogleModel(options),
  ollama: async (options) => (await loadOllama()).createOllamaModel(options),
};

/** The adapter, address, key and name of a model. All agents with an equal connection share one Model object. */
export interface ModelConnection extends Omit<AdapterOptions, "clock" | "remark"> {
  adapter: AdapterName;
  /** True to request token counts in the stream, in formats that send them only on request. */
  streamUsage: boolean;
}

/** Creates the model of a connection. Throws ModelError for an invalid name. */
export function openAdapter(
  { adapter, ...options }: ModelConnection,
  ports: Pick<AdapterOptions, "clock" | "remark">,
): Promise<Model> {
  return CREATORS[adapter]({ ...options, ...ports });
}
