// The base class of refusals that callers may handle. Each concept declares its own subclass.

/** The kind of a refusal. HTTP statuses and exit codes depend on it alone. */
export type RuntimeErrorCode =
  | "not_found"
  | "conflict"
  | "invalid"
  | "unavailable"
  | "storage";

/**
 * A refusal with a message that is safe to show: no secret, no stack, no host path unknown to the caller. The technical
 * reason is in `cause` and appears in the log only.
 */
export abstract class RuntimeError extends Error {
  abstract readonly code: RuntimeErrorCode;
  /** The message without the remedy and without a full stop. */
  readonly problem: string;
  /** The remedy, the last sentence of the message; undefined when it has none. */
  readonly remedy: string | undefined;
  /** The seconds after which a retry may succeed; undefined when unknown. */
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
