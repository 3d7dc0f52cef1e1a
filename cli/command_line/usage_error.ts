// Defines the errors of an invalid command line.

/** Error: the command line is invalid. `command` is the name of the command whose help explains the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: string, readonly command?: string) {
    super(message);
  }
}

/**
 * Error: a text is not a valid value of its type. The message describes valid values: `It must be a whole number from 1.`
 */
export class InvalidValue extends Error {
  override readonly name = "InvalidValue";

  constructor(readonly text: string, message: string) {
    super(message);
  }
}
