// Parses the address of the releases that a task is given.
import { releaseAddress } from "../cli/update/release_address.ts";

/** Returns the address in the form of `inkling update`, ending with a slash. Throws Error for an invalid one. */
export function parseReleaseAddress(text: string): string {
  try {
    return releaseAddress({ INKLING_RELEASE_URL: text }).href;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(reason.replace("INKLING_RELEASE_URL", "--address"), { cause });
  }
}
