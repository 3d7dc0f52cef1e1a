// The address of the releases, as it is given to a task.
import { releaseAddress } from "../cli/update/release_address.ts";

/** The address as `inkling update` takes it, ending in a slash. Throws Error for one that it would refuse. */
export function parseGivenAddress(text: string): string {
  try {
    return releaseAddress({ INKLING_RELEASE_URL: text }).href;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(reason.replace("INKLING_RELEASE_URL", "--address"), { cause });
  }
}
