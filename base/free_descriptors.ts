// Whether this process can still open files: some things in Deno do not fail for lack of file descriptors but end the
// process, or fail until it ends.
import { errorCode } from "./error_code.ts";
import { RuntimeError } from "./errors.ts";

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

/** Whether this process can open so many files more. */
export function hasFreeDescriptors(count: number): boolean {
  try {
    requireFreeDescriptors(count);
    return true;
  } catch (error) {
    if (error instanceof NoDescriptorLeft) return false;
    throw error;
  }
}

/** Throws NoDescriptorLeft when this process cannot open so many files more. */
export function requireFreeDescriptors(count: number): void {
  const file = Deno.build.standalone ? "/dev/null" : new URL(import.meta.url);
  const opened: Deno.FsFile[] = [];
  try {
    while (opened.length < count) opened.push(Deno.openSync(file));
  } catch (error) {
    if (["EMFILE", "ENFILE"].includes(errorCode(error) ?? "")) throw new NoDescriptorLeft(error);
    // Anything else that is wrong shows where the descriptors are needed.
  } finally {
    for (const one of opened) one.close();
  }
}
