// The base of every refusal a caller may decide by. Each concept declares its own subclass beside itself.

/** What kind of refusal it is; translators (HTTP status, exit code) decide by it alone. */
export type RuntimeErrorCode =
  | "not_found"
  | "conflict"
  | "invalid"
  | "unavailable"
  | "storage";

/**
 * A refusal with a sentence that is safe to show: no secret, no stack, no host path the caller did not name.
 * The technical reason travels in `cause` and goes to the log only.
 */
export abstract class RuntimeError extends Error {
  abstract readonly code: RuntimeErrorCode;
  /** After how many seconds the same may go well by itself; undefined: nothing says so. */
  readonly retryAfterSeconds: number | undefined;
  override get name(): string {
    return this.constructor.name;
  }
}
