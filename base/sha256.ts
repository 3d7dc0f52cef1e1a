// SHA-256, which Deno has without Node's crypto module, that a start does well without.

/** The SHA-256 of bytes, or of a text as UTF-8, in lower-case hexadecimal. */
export async function sha256Of(content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
