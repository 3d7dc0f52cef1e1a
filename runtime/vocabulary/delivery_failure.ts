// The error of a message that was not delivered, through a notification channel or in a chat.

/** Error: a message was not delivered. The message of the error is a sentence for the log. */
export class DeliveryFailure extends Error {
  /** True if another attempt cannot succeed. */
  readonly isFinal: boolean;
  /** The minimum wait that the receiver requests before the next attempt, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { isFinal = false, retryAfterMs = 0, cause }: {
      isFinal?: boolean;
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns the value of a variable. Throws DeliveryFailure if it is not set. */
export function secretOf(
  name: string,
  environment: { get(name: string): string | undefined },
): string {
  const value = environment.get(name)?.trim();
  if (value !== undefined && value !== "") return value;
  throw new DeliveryFailure(`the variable ${name} is not set: add it to the .env file`);
}
