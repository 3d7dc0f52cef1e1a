// Files that are served as they are, part of the program as text, and loaded when they are first asked for.
import { lazyModule } from "../base/lazy_module.ts";

/** The text of a file, for a `load` that imports it with the type `text`. Throws NoDescriptorLeft. */
export function lateText(load: () => Promise<{ default: string }>): () => Promise<string> {
  const loadModule = lazyModule(load);
  return async () => (await loadModule()).default;
}
