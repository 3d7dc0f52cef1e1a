// Modules that are loaded when they are first needed, in a process that runs for months. One that cannot be read then is
// remembered by the engine as failed, for as long as the process lives: so nothing is begun that would fail
// because of too few file descriptors, of which there may be enough again in a moment.
import { requireFreeDescriptors } from "./free_descriptors.ts";

/** Files of one module are read one after the other; the rest is for what else is opened meanwhile. */
const FREE_DESCRIPTORS = 16;

/**
 * A module as what loads it, for a `load` that does nothing but import it. Throws NoDescriptorLeft, and tries anew when it
 * is asked again.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let isLoaded = false;
  return async () => {
    // An executable has its modules inside, and takes no descriptors for them.
    if (!isLoaded && !Deno.build.standalone) requireFreeDescriptors(FREE_DESCRIPTORS);
    const module = await load();
    isLoaded = true;
    return module;
  };
}
