// Calculates SHA-256 without Node's crypto module, which would slow down the start.

/** Returns the SHA-256 of bytes, or of a text as UTF-8, in lower-case hexadecimal. */
export async function sha256Of(content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
