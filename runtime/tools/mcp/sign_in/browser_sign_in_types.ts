// Defines the types of a person's sign-in through the browser that shows the page. They import nothing, because the page's
// types refer to them.

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

/**
 * The result of an answer. `unknown`: no open sign-in has this `state`. `foreign`: another browser began it. `limit` is the
 * reason why other nodes do not have the sign-in.
 */
export type SignInOutcome =
  | {
    outcome: "done";
    server: string;
    issuer: string;
    continuedRuns: number;
    limit: string | undefined;
  }
  | { outcome: "failed"; server: string; reason: string }
  | { outcome: "unknown" | "foreign" };

/** The sign-ins of one service. They exist only in its memory until they are complete. */
export interface SignIns {
  /** Returns the servers to which a person can sign in. Sends no request. */
  list(): Promise<ServerSignIn[]>;
  /** Begins a sign-in. `page` is the address of the page in the browser. Throws SignInRefused. */
  begin(server: string, page: string): Promise<BegunSignIn>;
  /**
   * Completes the sign-in with the answer's `state`, once, and continues the runs that wait for it. `proofs` are the
   * browser's secrets.
   */
  finish(answer: URLSearchParams, proofs: readonly string[]): Promise<SignInOutcome>;
  /** Returns the document that describes Inkling as a client. Undefined without an https `public_url`. */
  clientDocument(): Promise<Record<string, unknown> | undefined>;
}
