// Defines the types of a person's sign-in through the browser that shows the page. They import only types of the
// vocabulary, because the page's types refer to them.
import type { Caller } from "../../../vocabulary/callers.ts";

/** The sign-in to one server. `needed` if the stored sign-in has ended, `none` if there is none yet. */
export interface ServerSignIn {
  server: string;
  state: "done" | "needed" | "none";
}

/** A sign-in that has begun. */
export interface BegunSignIn {
  /** The page of the authorization server. */
  address: string;
  /** The random value that the answer repeats. */
  state: string;
  /** The secret of the browser that began. No other browser can complete the sign-in. */
  proof: string;
  /** The milliseconds after which the answer is refused. */
  lifeMs: number;
}

/** A sign-in that is complete. */
export interface CompletedSignIn {
  server: string;
  /** The identifier of the authorization server. */
  issuer: string;
  continuedRuns: number;
  /** The reason why other nodes do not have the sign-in. */
  limit: string | undefined;
}

/** The sign-ins of one service. They exist only in its memory until they are complete. */
export interface SignIns {
  /** Returns the servers to which a person can sign in. Sends no request. */
  list(): Promise<ServerSignIn[]>;
  /** Begins a sign-in. `page` is the address of the page in the browser. Throws SignInRefused. */
  begin(server: string, page: string, by?: Caller): Promise<BegunSignIn>;
  /**
   * Completes the sign-in with the answer's `state`, once, and continues the runs that wait for it. `proofs` are the
   * browser's secrets. Throws SignInRefused.
   */
  finish(answer: URLSearchParams, proofs: readonly string[]): Promise<CompletedSignIn>;
  /** Returns the document that describes Inkling as a client. Undefined without an https `public_url`. */
  clientDocument(): Record<string, unknown> | undefined;
}
