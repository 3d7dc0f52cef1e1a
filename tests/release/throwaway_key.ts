// Key pairs of minisign for tests, in the form of its files.

/** The contents of the two files of a key pair. */
export interface ThrowawayKey {
  secret: string;
  publicFile: string;
  /** The line of the public file that contains the key. */
  publicLine: string;
}

/** Creates a key pair without a password, as `minisign -G -W` does. */
export async function createThrowawayKey(): Promise<ThrowawayKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("Ed25519 makes key pairs");
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const [seed, bytes] = [d, x].map((one) =>
    Uint8Array.fromBase64(one, { alphabet: "base64url" })
  ) as [Uint8Array, Uint8Array];
  const id = crypto.getRandomValues(new Uint8Array(8));
  const words = (text: string) => new TextEncoder().encode(text);
  const publicLine = new Uint8Array([...words("Ed"), ...id, ...bytes]).toBase64();
  const secretLine = new Uint8Array([
    ...words("Ed\0\0B2"),
    // The salt and the limits of the method that would encrypt the key.
    ...new Uint8Array(48),
    ...[...id, ...seed, ...bytes],
    // The checksum of an encrypted key.
    ...new Uint8Array(32),
  ]).toBase64();
  return {
    secret: `untrusted comment: minisign encrypted secret key\n${secretLine}\n`,
    publicFile: `untrusted comment: minisign public key\n${publicLine}\n`,
    publicLine,
  };
}
