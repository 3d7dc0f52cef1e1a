// The errors of a command line.

/** Error: the command line is wrong. `command` is the named command, whose help explains the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: string, readonly command?: string) {
    super(message);
  }
}

/** Error: a text does not have its type. The message describes the type: `It must be a whole number from 1.` */
export class InvalidValue extends Error {
  override readonly name = "InvalidValue";

  constructor(readonly text: string, message: string) {
    super(message);
  }
}
