// Modules that are loaded when they are first needed, in a process that runs for months. One that cannot be read then is
// remembered by the engine as failed, for as long as the process lives: so nothing is begun that would fail
// because of too few file descriptors, of which there may be enough again in a moment.
import { errorCode } from "./error_code.ts";
import { RuntimeError } from "./errors.ts";

/** Files of one module are read one after the other; the rest is for what else is opened meanwhile. */
const FREE_DESCRIPTORS = 16;

/** Nothing more can be opened by this process. */
export class NoDescriptorLeft extends RuntimeError {
  readonly code = "unavailable";

  constructor(cause: unknown) {
    super(
      "The service has too many files and connections open. Close some, or give it a higher limit (ulimit -n)",
      { cause },
    );
  }
}

/**
 * A module as what loads it, for a `load` that does nothing but import it. Throws NoDescriptorLeft, and tries anew when it
 * is asked again.
 */
export function lazyModule<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let isLoaded = false;
  return async () => {
    if (!isLoaded) requireDescriptors();
    const module = await load();
    isLoaded = true;
    return module;
  };
}

/** Throws NoDescriptorLeft when there are not enough. An executable has its modules inside, and takes none for them. */
function requireDescriptors(): void {
  if (Deno.build.standalone) return;
  const file = new URL(import.meta.url);
  const opened: Deno.FsFile[] = [];
  try {
    while (opened.length < FREE_DESCRIPTORS) opened.push(Deno.openSync(file));
  } catch (error) {
    if (["EMFILE", "ENFILE"].includes(errorCode(error) ?? "")) throw new NoDescriptorLeft(error);
    // What else is wrong the load itself tells.
  } finally {
    for (const one of opened) one.close();
  }
}
