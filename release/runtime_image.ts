// Deno's runtime image, which every executable contains. Deno downloads it when it compiles.
import { DENO_VERSION } from "./product.ts";
import type { Target } from "./target.ts";

/** The exit code of a task that cannot get the image (EX_UNAVAILABLE of sysexits.h). Only the network causes it. */
export const IMAGE_MISSING_CODE = 69;

/** The image cannot be downloaded. */
export class RuntimeImageMissing extends Error {
  override readonly name = "RuntimeImageMissing";

  constructor(target: Target, reason: string) {
    super(
      `No executable for ${target}: Deno's runtime image ${DENO_VERSION} cannot be downloaded ` +
        `(${reason}); DENORT_BIN may name a copy of it`,
    );
  }
}

/**
 * Returns the reason why the image is missing, from the output of a failed `deno compile`; undefined for another
 * failure.
 */
export function missingImageReason(stderr: string): string | undefined {
  const [, after] = stderr.split("Setting up base binary.");
  if (after === undefined) return undefined;
  const [reason = ""] = after.split("Stack backtrace");
  const causes = [...reason.matchAll(/^\s+\d+: (.+)$/gm)].map(([, cause = ""]) => cause);
  return causes.at(-1) ?? "for no reason that Deno tells";
}
