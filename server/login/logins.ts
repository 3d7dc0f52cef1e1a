// Manages the log-ins over TCP: cookies that replace a key. They exist only in memory, so they end with the service,
// and no file contains them.
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, SECOND_MS } from "../../base/time_units.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import { cookieValues, createSecret, createSecretMatch } from "./secret_text.ts";

/** The milliseconds after which a log-in ends, even if it is in use. */
export const LOGIN_MS = 7 * DAY_MS;
/** The maximum number of log-ins; one more ends the oldest. */
export const MOST_LOGINS = 256;

/** The log-in of one browser. */
interface Login {
  /** Returns the person or key that logged in, or undefined if the access has ended. */
  findOwner(): Promise<Caller | undefined>;
  until: number;
  isCookie: (value: string) => boolean;
}

/** The log-ins of one port. */
export class Logins {
  readonly #clock: Clock;
  /** The name of the cookie. It contains the port, because a browser shares cookies between the ports of a host. */
  readonly #cookieName: string;
  #all: Login[] = [];

  constructor(options: { clock: Clock; port: number }) {
    this.#clock = options.clock;
    this.#cookieName = `inkling_login_${options.port}`;
  }

  /** Starts a log-in and returns its `Set-Cookie` value. `isSecure` limits the cookie to TLS. */
  start(
    { findOwner, isSecure, lifeMs = LOGIN_MS }: Pick<Login, "findOwner"> & {
      isSecure: boolean;
      lifeMs?: number;
    },
  ): string {
    const value = createSecret();
    const until = this.#clock.now() + lifeMs;
    this.#all = [...this.#open(), { findOwner, until, isCookie: createSecretMatch(value) }]
      .slice(-MOST_LOGINS);
    return this.#cookie(value, lifeMs) + (isSecure ? "; Secure" : "");
  }

  /** Returns the log-in of the request's cookie, or undefined. */
  find(headers: Headers): Pick<Login, "findOwner"> | undefined {
    return this.#named(headers)[0];
  }

  /** Ends the log-in of the request's cookie. Returns the `Set-Cookie` value that deletes the cookie. */
  end(headers: Headers): string {
    const ended = this.#named(headers);
    this.#all = this.#all.filter((one) => !ended.includes(one));
    return this.#cookie("", 0);
  }

  #named(headers: Headers): Login[] {
    const values = cookieValues(headers, this.#cookieName);
    return this.#open().filter(({ isCookie }) => values.some(isCookie));
  }

  #open(): Login[] {
    const now = this.#clock.now();
    return this.#all.filter(({ until }) => until > now);
  }

  /**
   * Returns the value of `Set-Cookie`. The cookie has no path, so the browser uses the folder of the log-in page, which a
   * proxy may have moved.
   */
  #cookie(value: string, lifeMs: number): string {
    const life = lifeMs / SECOND_MS;
    return `${this.#cookieName}=${value}; HttpOnly; SameSite=Strict; Max-Age=${life}`;
  }
}
