// Verifies minisign signatures: Ed25519 over the BLAKE2b-512 hash of a file, with a signed comment.

/** The algorithm of hashed signatures, the only ones that are accepted. */
export const HASHED = "ED";
/** The algorithm in a public key. */
const KEY_ALGORITHM = "Ed";
/** The lengths of the algorithm, the key's ID, the public key and a signature, in bytes. */
const [ALGORITHM_BYTES, ID_BYTES, KEY_BYTES, SIGNATURE_BYTES] = [2, 8, 32, 64];

/** A public key of minisign. */
export interface PublicKey {
  /** The ID of the key pair, in hexadecimal. */
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Thrown if a signature or a key cannot be used. The message is the reason. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

/** Returns the trusted comment of a released file, which binds the signature to the version and the name. */
export function releaseComment({ version, name }: { version: string; name: string }): string {
  return `version:${version} file:${name}`;
}

/** Parses a public key, which is one line of base64. Throws SignatureError. */
export function parsePublicKey(line: string): PublicKey {
  const [algorithm, id, bytes] = split(decode(line, "the public key"), KEY_BYTES, "the public key");
  if (algorithm !== KEY_ALGORITHM) throw new SignatureError("the public key is not of minisign");
  return { id, bytes };
}

/**
 * Verifies the text of a signature file with the key of its ID, and returns the trusted comment. `hash` is the BLAKE2b-512
 * hash of the signed file. Throws SignatureError.
 */
export async function verifySignature(
  text: string,
  { hash, keys }: { hash: Uint8Array<ArrayBuffer>; keys: readonly PublicKey[] },
): Promise<string> {
  const { keyId, bytes, comment, commentBytes } = parseSignature(text);
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new SignatureError("its signature is by an unknown key");
  const imported = await crypto.subtle.importKey("raw", key.bytes, "Ed25519", false, ["verify"]);
  const isBy = (signature: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>) =>
    crypto.subtle.verify("Ed25519", imported, signature, data);
  if (!await isBy(bytes, hash)) throw new SignatureError("its signature is wrong");
  if (!await isBy(commentBytes, signedComment(bytes, comment))) {
    throw new SignatureError("the comment of its signature is wrong");
  }
  return comment;
}

/** Returns the bytes that the second signature of a signature file signs. */
export function signedComment(
  signature: Uint8Array<ArrayBuffer>,
  comment: string,
): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...signature, ...new TextEncoder().encode(comment)]);
}

/**
 * Parses a signature file, which minisign writes: the signature of the file's hash, the trusted comment, and the signature
 * of both.
 */
function parseSignature(text: string) {
  const [, signature = "", trusted = "", commentSignature = ""] = text.split(/\r?\n/);
  const [, comment] = /^trusted comment: (.*)$/.exec(trusted) ?? [];
  if (comment === undefined) throw new SignatureError("its signature has no trusted comment");
  const what = "its signature";
  const [algorithm, keyId, bytes] = split(decode(signature, what), SIGNATURE_BYTES, what);
  if (algorithm !== HASHED) throw new SignatureError("its signature is not of a hashed file");
  return { keyId, bytes, comment, commentBytes: decode(commentSignature, what) };
}

/** Splits decoded bytes into the algorithm, the key's ID in hexadecimal, and `length` more bytes. */
function split(
  bytes: Uint8Array<ArrayBuffer>,
  length: number,
  what: string,
): [algorithm: string, keyId: string, rest: Uint8Array<ArrayBuffer>] {
  const start = ALGORITHM_BYTES + ID_BYTES;
  if (bytes.length !== start + length) throw new SignatureError(`${what} has a wrong length`);
  const algorithm = String.fromCharCode(...bytes.subarray(0, ALGORITHM_BYTES));
  // minisign prints the ID as a little-endian number.
  const id = bytes.slice(ALGORITHM_BYTES, start).reverse().toHex().toUpperCase();
  return [algorithm, id, bytes.slice(start)];
}

function decode(line: string, what: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(line.trim());
  } catch (cause) {
    throw new SignatureError(`${what} is not valid base64`, { cause });
  }
}
