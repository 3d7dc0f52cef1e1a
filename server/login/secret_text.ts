// Creates secrets for cookies and links, and compares them in constant time.

const SECRET_BYTES = 32;

/** Returns a random secret: 256 bits as 43 characters of base64url. */
export function createSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Returns a function that compares a text with the secret. The function compares every byte, so its time depends only on
 * the text's length. Decision: no `timingSafeEqual` of node:crypto, because loading that module takes a tenth of the
 * service's memory.
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

/** Returns the values of a cookie in the `Cookie` header. */
export function cookieValues(headers: Headers, name: string): string[] {
  const cookies = headers.get("cookie");
  if (cookies === null) return [];
  const prefix = `${name}=`;
  return cookies.split(";").map((one) => one.trim())
    .filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
}
