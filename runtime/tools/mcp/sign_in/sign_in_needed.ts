// Defines the errors of a sign-in. They are in a file of their own, because the files that throw them load the client
// package.
import { mailAccountOf } from "../../../vocabulary/sign_in_names.ts";

/** Error: a person must sign in to the server, because there is no token or no valid one. */
export class SignInNeeded extends Error {
  override readonly name = "SignInNeeded";
  readonly server: string;

  constructor(server: string, options: ErrorOptions = {}) {
    super(describeSignInNeeded(server), options);
    this.server = server;
  }
}

/** Returns a clause that says that the server needs a sign-in, with the command to type. */
export function describeSignInNeeded(server: string): string {
  return `it needs a sign-in: ${commandOf("login", server)}`;
}

/** Returns the command to type that signs in to a server, or out of it. */
export function commandOf(action: "login" | "logout", server: string): string {
  const account = mailAccountOf(server);
  if (account !== undefined) return `inkling mail ${action} ${account}`;
  const name = /^[\w.-]+$/.test(server) ? server : `'${server.replaceAll("'", `'\\''`)}'`;
  return `inkling mcp ${action} ${name}`;
}

/**
 * Error: the sign-in or the renewal of a token failed. The message is a clause without secrets. `code` is the error code of
 * the authorization server, if it sent one.
 */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly code: string | undefined;

  constructor(message: string, { code, ...options }: ErrorOptions & { code?: string } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Returns true for an error of a sign-in. The server did not execute the request. */
export function isSignInError(error: unknown): error is SignInNeeded | SignInFailure {
  return error instanceof SignInNeeded || error instanceof SignInFailure;
}

/** Returns the SignInNeeded that caused an error, or undefined. */
export function findSignInNeeded(error: unknown): SignInNeeded | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof SignInNeeded) return one;
  }
  return undefined;
}
