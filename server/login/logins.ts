// Who has logged in over TCP: cookies that stand for the API key. They are kept in memory alone: a service that stops ends
// them all, so that none outlives the key it was given for, and there is no file to steal them from.
import type { Clock } from "../../base/clock.ts";
import { DAY_MS, SECOND_MS } from "../../base/time_units.ts";
import { cookieValues, createSecret, createSecretMatch } from "../secret_text.ts";

/** How long a log-in lasts, used or not. */
export const LOGIN_MS = 7 * DAY_MS;
/** The most log-ins at a time; one more ends the oldest. */
export const MOST_LOGINS = 32;

/** One browser that has logged in. */
export interface Login {
  /** False once it has ended. */
  readonly isOpen: boolean;
}

interface OpenLogin {
  until: number;
  isCookie: (value: string) => boolean;
}

/** The log-ins of one port. */
export class Logins {
  readonly #clock: Clock;
  /** Cookies know no ports: each service of a host needs a name of its own. */
  readonly #cookieName: string;
  #all: OpenLogin[] = [];

  constructor(options: { clock: Clock; port: number }) {
    this.#clock = options.clock;
    this.#cookieName = `inkling_login_${options.port}`;
  }

  /** Begins a log-in; its `Set-Cookie` value. A browser that came over TLS is told to send it over TLS alone. */
  begin({ isSecure }: { isSecure: boolean }): string {
    const value = createSecret();
    const until = this.#clock.now() + LOGIN_MS;
    this.#all = [...this.#open(), { until, isCookie: createSecretMatch(value) }]
      .slice(-MOST_LOGINS);
    return this.#cookie(value, LOGIN_MS) + (isSecure ? "; Secure" : "");
  }

  /** The log-in whose cookie a request brings. */
  find(headers: Headers): Login | undefined {
    const [found] = this.#named(headers);
    if (found === undefined) return undefined;
    const isOpen = () => this.#open().includes(found);
    return {
      get isOpen() {
        return isOpen();
      },
    };
  }

  /** Ends the log-in whose cookie it is; the `Set-Cookie` value that has the browser forget it. */
  end(headers: Headers): string {
    const ended = this.#named(headers);
    this.#all = this.#all.filter((one) => !ended.includes(one));
    return this.#cookie("", 0);
  }

  #named(headers: Headers): OpenLogin[] {
    const values = cookieValues(headers, this.#cookieName);
    return this.#open().filter(({ isCookie }) => values.some(isCookie));
  }

  #open(): OpenLogin[] {
    const now = this.#clock.now();
    return this.#all.filter(({ until }) => until > now);
  }

  /** Without a path: the browser takes the folder of the log-in page, wherever a proxy has put it. */
  #cookie(value: string, lifeMs: number): string {
    const life = lifeMs / SECOND_MS;
    return `${this.#cookieName}=${value}; HttpOnly; SameSite=Strict; Max-Age=${life}`;
  }
}
