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

/** All that a model's calls are made with. Where it is the same, one Model does for all who call it. */
export interface ModelReach extends Omit<AdapterOptions, "clock"> {
  adapter: AdapterName;
  /** Ask for token counts in the stream, where that has to be asked for. */
  streamUsage: boolean;
}

/** The model at the end of a reach. Throws ModelError for a demo model that does not exist. */
export async function openAdapter(
  { adapter, streamUsage, ...at }: ModelReach,
  clock: Clock,
): Promise<Model> {
  const reach = { ...at, clock };
  switch (adapter) {
    case "demo": {
      const { createDemoModel } = await loadDemo();
      return createDemoModel(reach);
    }
    case "openai":
    case "compatible": {
      const { createOpenAiModel } = await loadOpenAi();
      return createOpenAiModel({ ...reach, streamUsage, flavour: adapter });
    }
    case "anthropic": {
      const { createAnthropicModel } = await loadAnthropic();
      return createAnthropicModel(reach);
    }
    case "google": {
      const { createGoogleModel } = await loadGoogle();
      return createGoogleModel(reach);
    }
    case "ollama": {
      const { createOllamaModel } = await loadOllama();
      return createOllamaModel(reach);
    }
  }
  return adapter satisfies never;
}
