// Who may use the loopback proxy: the browsers that brought a link's token, known from then on by a cookie.
import { createSecret, createSecretMatch } from "../secret_text.ts";

/** The cookie that tokens are exchanged for. It lives as long as the object. */
export class BrowserSession {
  /** For a browser that is let in: a `Set-Cookie` value. */
  readonly cookie: string;
  readonly #prefix: string;
  readonly #isCookie: (value: string) => boolean;

  constructor(options: { port: number }) {
    // Cookies know no ports: each proxy needs a name of its own.
    this.#prefix = `inkling_ui_${options.port}=`;
    const value = createSecret();
    this.#isCookie = createSecretMatch(value);
    this.cookie = `${this.#prefix}${value}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Whether a request's `Cookie` header holds the cookie. */
  admits(cookies: string | null): boolean {
    return (cookies ?? "").split(";").map((one) => one.trim()).some((one) =>
      one.startsWith(this.#prefix) && this.#isCookie(one.slice(this.#prefix.length))
    );
  }
}
