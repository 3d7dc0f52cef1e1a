// Deno's runtime without its tools, around which an executable is built. Deno downloads it when it compiles.
import { DENO_VERSION } from "./product.ts";
import type { Target } from "./target.ts";

/** What a task ends with when the image cannot be had (EX_UNAVAILABLE of sysexits.h): a matter of the network alone. */
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

/** Why the image was missing, from what a failed `deno compile` said; undefined when something else went wrong. */
export function imageTrouble(stderr: string): string | undefined {
  const [, after] = stderr.split("Setting up base binary.");
  if (after === undefined) return undefined;
  const [told = ""] = after.split("Stack backtrace");
  const causes = [...told.matchAll(/^\s+\d+: (.+)$/gm)].map(([, cause = ""]) => cause);
  return causes.at(-1) ?? "for no reason that Deno tells";
}
