// Calculates the ETags of texts, and finds them in a client's If-None-Match.

/**
 * Returns a tag that consists of two 32-bit hashes similar to FNV-1a. Decision: no cryptographic digest, because it takes
 * ten times as long, a third of the time of the whole response. An attacker gains nothing from a collision.
 */
export function toEntityTag(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
  }
  return `"${[one, other].map((hash) => (hash >>> 0).toString(16).padStart(8, "0")).join("")}"`;
}

/** Returns true if `known` (If-None-Match) lists the tag. Ignores the prefix `W/`, which compressing proxies add. */
export function isKnownTag(tag: string, known: string | null): boolean {
  const tags = (known ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.includes(tag) || tags.includes("*");
}
