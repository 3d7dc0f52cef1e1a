// The adapters by name. Each module is loaded when its adapter is first used.
import type { AdapterName } from "../../config/providers.ts";
import type { AdapterOptions } from "./provider_model.ts";
import type { Model } from "../model.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

const loadOpenAi = lazyModule(() => import("./openai.ts"));

const LOADERS: Readonly<
  Record<AdapterName, () => Promise<{ createModel: (options: AdapterOptions) => Model }>>
> = {
  demo: lazyModule(() => import("../demo/demo.ts")),
  openai: loadOpenAi,
  compatible: loadOpenAi,
  anthropic: lazyModule(() => import("./anthropic.ts")),
  google: lazyModule(() => import("./google.ts")),
  ollama: lazyModule(() => import("./ollama.ts")),
};

/** Creates the model of a connection. Throws ModelError for an invalid name. */
export async function openAdapter(options: AdapterOptions): Promise<Model> {
  const { createModel } = await LOADERS[options.adapter]();
  return createModel(options);
}
