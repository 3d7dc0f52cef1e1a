// Who may use the loopback proxy: the one browser that brought the one-time token, known from then on by a cookie.
import { createHash, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;

/** A token that works once, and the cookie that it is exchanged for. Both live as long as the object. */
export class BrowserSession {
  /** For the address that is opened. Base64url, 43 characters. */
  readonly token = createSecret();
  /** Cookies know no ports: each proxy needs a name of its own. */
  readonly #cookieName: string;
  readonly #cookieValue = createSecret();
  #isTokenUsed = false;

  constructor(options: { port: number }) {
    this.#cookieName = `inkling_ui_${options.port}`;
  }

  /** The `Set-Cookie` value for the first bearer of the token; undefined for a wrong one, and for everybody later. */
  exchange(token: string): string | undefined {
    if (!isEqual(token, this.token) || this.#isTokenUsed) return undefined;
    this.#isTokenUsed = true;
    return `${this.#cookieName}=${this.#cookieValue}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Whether a request's `Cookie` header holds the cookie. */
  admits(cookies: string | null): boolean {
    const prefix = `${this.#cookieName}=`;
    return (cookies ?? "").split(";").map((one) => one.trim()).some((one) =>
      one.startsWith(prefix) && isEqual(one.slice(prefix.length), this.#cookieValue)
    );
  }
}

function createSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Digests have one length, so that the comparison takes the same time for every text. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
