// Checks for free file descriptors. Without a free descriptor, some operations of Deno end the process, or fail until the
// process ends.
import { errorCode } from "./error_code.ts";
import { RuntimeError } from "./errors.ts";

/** Thrown if this process cannot open any more files. */
export class NoDescriptorLeft extends RuntimeError {
  readonly code = "unavailable";

  constructor(cause: unknown) {
    super(
      "The service has too many files and connections open. Close some, or give it a higher limit (ulimit -n)",
      { cause },
    );
  }
}

/** Returns true if this process can open `count` more files. */
export function hasFreeDescriptors(count: number): boolean {
  try {
    requireFreeDescriptors(count);
    return true;
  } catch (error) {
    if (error instanceof NoDescriptorLeft) return false;
    throw error;
  }
}

/** Throws NoDescriptorLeft if this process cannot open `count` more files. */
export function requireFreeDescriptors(count: number): void {
  const file = Deno.build.standalone ? "/dev/null" : new URL(import.meta.url);
  const opened: Deno.FsFile[] = [];
  try {
    while (opened.length < count) opened.push(Deno.openSync(file));
  } catch (error) {
    if (["EMFILE", "ENFILE"].includes(errorCode(error) ?? "")) throw new NoDescriptorLeft(error);
    // Ignore other errors, which occur again when the descriptors are used.
  } finally {
    for (const one of opened) one.close();
  }
}
