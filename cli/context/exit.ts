// The exit codes, and the conversion of a thrown error to an exit code and a message.
import { describeDenied } from "../../base/denied_permission.ts";
import { RuntimeError } from "../../base/errors.ts";
import { ApiError, ServiceUnreachable } from "../../api/client/client.ts";
import { OutputClosed } from "../output/terminal.ts";

/** The exit codes of the process. */
export const EXIT = {
  ok: 0,
  /** The command or the run failed. */
  failed: 1,
  /** The command line is invalid, or names a thing that does not exist. */
  usage: 2,
  /** The service cannot be reached or started. */
  unreachable: 3,
  /** The run waits for an answer of a person. */
  waiting: 4,
  /** The user pressed Ctrl+C. */
  interrupted: 130,
  /** The reader closed the output. Shells report this code for a program that SIGPIPE ended. */
  unread: 141,
} as const;

/** An exit code of the process. */
export type ExitCode = typeof EXIT[keyof typeof EXIT];

/** The result of a command: its exit code, or undefined for success. */
export type CommandResult = ExitCode | void;

/** Error: ends the command with `exitCode`. The message is for the user; its further lines say what to do. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(readonly exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Returns the error of a command that was used in a wrong way. */
export function misuse(message: string): CommandFailure {
  return new CommandFailure(EXIT.usage, message);
}

/** Returns the error of a command that was used in the right way, and failed. */
export function commandFailed(message: string, options?: ErrorOptions): CommandFailure {
  return new CommandFailure(EXIT.failed, message, options);
}

/** Error: the user pressed Ctrl+C. */
export class Interrupted extends CommandFailure {
  constructor() {
    super(EXIT.interrupted, "Interrupted");
  }
}

/** Returns the exit code and the message of a thrown value. `text` is undefined if no message should be printed. */
export function toExit(error: unknown): { code: ExitCode; text: string | undefined } {
  // The reader closed the output, so no message can be printed.
  if (error instanceof OutputClosed) return { code: EXIT.unread, text: undefined };
  if (error instanceof Interrupted) return { code: EXIT.interrupted, text: undefined };
  if (error instanceof CommandFailure) return { code: error.exitCode, text: error.message };
  if (error instanceof ServiceUnreachable) return { code: EXIT.unreachable, text: error.message };
  if (isMisnamed(error)) return { code: EXIT.usage, text: error.message };
  if (error instanceof ApiError) return { code: EXIT.failed, text: error.message };
  const denied = describeDenied(error);
  if (denied !== undefined) return { code: EXIT.failed, text: `Cannot do this: ${denied}` };
  if (isBug(error)) return { code: EXIT.failed, text: `Internal error: ${error.message}` };
  return { code: EXIT.failed, text: error instanceof Error ? error.message : String(error) };
}

/** Returns true if the command line names a thing that does not exist, or contains a value that the service refuses. */
function isMisnamed(error: unknown): error is Error {
  return error instanceof ApiError && (error.status === 404 || error.status === 422) ||
    error instanceof RuntimeError && error.code === "not_found";
}

function isBug(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError ||
    error instanceof ReferenceError || error instanceof SyntaxError;
}
