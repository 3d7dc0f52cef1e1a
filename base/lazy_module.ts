// Loads modules on demand. Deno repeats a failed load's error until the process ends, so a load is not started without
// enough free file descriptors. The caller gets an error instead and can try again.
import { requireFreeDescriptors } from "./free_descriptors.ts";

/**
 * The number of free descriptors that a load requires. A load uses one descriptor at a time; the others are for files that
 * other code opens meanwhile.
 */
const FREE_DESCRIPTORS = 16;

/**
 * Returns a function that loads a module when it is called. `load` must only call import(). The function throws
 * NoDescriptorLeft if too few descriptors are free, and can then be called again.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let isLoaded = false;
  return async () => {
    // A compiled executable contains its modules, so loading them needs no descriptors.
    if (!isLoaded && !Deno.build.standalone) requireFreeDescriptors(FREE_DESCRIPTORS);
    const module = await load();
    isLoaded = true;
    return module;
  };
}
