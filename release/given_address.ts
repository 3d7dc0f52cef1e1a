// Parses the address of the releases, which is an argument of a task.
import { releaseAddress } from "../cli/update/release_address.ts";

/** Returns the address as `inkling update` needs it, with a slash at its end. Throws Error for an invalid address. */
export function parseReleaseAddress(text: string): string {
  try {
    return releaseAddress({ INKLING_RELEASE_URL: text }).href;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(reason.replace("INKLING_RELEASE_URL", "--address"), { cause });
  }
}
