// Recognizes that Deno's runtime image is missing. Every executable contains the image, which Deno downloads when it
// compiles.
import { DENO_VERSION } from "./product.ts";
import type { Target } from "./target.ts";

/**
 * The exit code of a task that cannot download the image (EX_UNAVAILABLE of sysexits.h). Only network failures have this
 * code.
 */
export const IMAGE_MISSING_CODE = 69;

/** Thrown if the runtime image cannot be downloaded. */
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
 * Returns the reason for a missing image from the output of a failed `deno compile`, or undefined if another failure is the
 * cause.
 */
export function missingImageReason(stderr: string): string | undefined {
  const [, after] = stderr.split("Setting up base binary.");
  if (after === undefined) return undefined;
  const [reason = ""] = after.split("Stack backtrace");
  const causes = [...reason.matchAll(/^\s+\d+: (.+)$/gm)].map(([, cause = ""]) => cause);
  return causes.at(-1) ?? "for no reason that Deno tells";
}
