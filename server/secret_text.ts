// Secrets that let somebody in: made here, and compared in a time that tells nothing of them.

const SECRET_BYTES = 32;

/** A text that nobody guesses: base64url, 43 characters. */
export function createSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Tells whether a text is the secret. How long that takes depends on the length of the text alone, and tells nothing of
 * the secret: every byte is looked at, wherever the first difference is. Node's timingSafeEqual would do the same for
 * digests, and take a tenth of the memory of the whole service.
 */
export function createSecretMatch(secret: string): (text: string) => boolean {
  const encoder = new TextEncoder();
  const expected = encoder.encode(secret);
  return (text) => {
    const given = encoder.encode(text);
    let difference = given.length ^ expected.length;
    for (let i = 0; i < given.length; i++) {
      difference |= (given[i] ?? 0) ^ (expected[i % expected.length] ?? 0);
    }
    return difference === 0;
  };
}

/** What a request's `Cookie` header has under a name. */
export function cookieValues(headers: Headers, name: string): string[] {
  const prefix = `${name}=`;
  return (headers.get("cookie") ?? "").split(";").map((one) => one.trim())
    .filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
}
