// Loads modules on demand. Deno caches a failed load until the process ends. So the loader first checks for free file
// descriptors, and throws an error that can be retried if there are too few.
import { requireFreeDescriptors } from "./free_descriptors.ts";

/**
 * The required number of free descriptors. A load uses one at a time; the others are a reserve for files that are opened
 * during the load.
 */
const FREE_DESCRIPTORS = 16;

/**
 * Returns a function that loads a module on demand. `load` must only call import(). The function throws NoDescriptorLeft if
 * too few descriptors are free, and can be called again.
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
