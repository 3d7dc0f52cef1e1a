// Which errors of the system say that something is not there; all others only say that it cannot be told.

/** Whether a path does not exist, or cannot because something on the way to it is not a folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/** Turns "it is not there" into undefined; rethrows every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
