// Loads modules on first use, in a process that runs for months. The engine remembers a failed load for as long as the
// process lives. So no load is started without enough free file descriptors, of which there may be more a moment later.
import { requireFreeDescriptors } from "./free_descriptors.ts";

/** The files of one module are read one after the other; the rest is for other files opened meanwhile. */
const FREE_DESCRIPTORS = 16;

/**
 * Returns a loader of a module, for a `load` that only imports it. The loader throws NoDescriptorLeft, and tries again
 * when it is called again.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let isLoaded = false;
  return async () => {
    // An executable contains its modules and needs no descriptors for them.
    if (!isLoaded && !Deno.build.standalone) requireFreeDescriptors(FREE_DESCRIPTORS);
    const module = await load();
    isLoaded = true;
    return module;
  };
}
