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
  /** The message without the remedy, and without a full stop. */
  readonly problem: string;
  /** The sentence that says what to do, the last one of the message. Undefined: the message has none. */
  readonly remedy: string | undefined;
  /** After how many seconds the same may go well by itself; undefined: nothing says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem?: string, options: ErrorOptions & { remedy?: string } = {}) {
    const { remedy } = options;
    super(remedy === undefined ? problem : `${problem}. ${remedy}`, options);
    this.problem = (problem ?? "").replace(/\.$/, "");
    this.remedy = remedy;
  }

  override get name(): string {
    return this.constructor.name;
  }
}
