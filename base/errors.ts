// Defines the base class of refusals that callers may handle. Each concept defines a subclass.

/** The kind of a refusal, which alone determines the HTTP status and the exit code. */
export type RuntimeErrorCode =
  | "not_found"
  | "conflict"
  | "outdated"
  | "invalid"
  | "forbidden"
  | "unavailable"
  | "storage";

/**
 * A refusal with a message that is safe to show: it contains no secret, no stack trace, and no path that the caller does
 * not know. The technical reason is in `cause`, which only the log contains.
 */
export abstract class RuntimeError extends Error {
  abstract readonly code: RuntimeErrorCode;
  /** The message without its last sentence, the remedy, and without a full stop. */
  readonly problem: string;
  /** The remedy, which is the last sentence of the message; undefined if the message contains no remedy. */
  readonly remedy: string | undefined;
  /** The seconds after which a retry may succeed; undefined if unknown. */
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
