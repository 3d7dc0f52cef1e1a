// What is wrong with a command line, as a sentence for whoever typed it.

/** The command line is wrong. The message says what; `command` is the one whose help says more, if any was named. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: string, readonly command?: string) {
    super(message);
  }
}

/** A text that is not of its type. The message says what it must be: `It must be a whole number from 1.` */
export class InvalidValue extends Error {
  override readonly name = "InvalidValue";

  constructor(readonly text: string, message: string) {
    super(message);
  }
}
