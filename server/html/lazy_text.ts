// Lazy loading of static files that are embedded in the program as text.
import { lazyModule } from "../../base/lazy_module.ts";

/** Returns a function that loads the text at its first call. `load` imports it with the type `text`. Throws NoDescriptorLeft. */
export function lazyText(load: () => Promise<{ default: string }>): () => Promise<string> {
  const loadModule = lazyModule(load);
  return async () => (await loadModule()).default;
}
