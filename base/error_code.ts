// The codes by which the system's own errors are told apart.

/** The code of an error of the system, `ENOENT` for one; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
