// Reads minisign's key files, and signs files of a release with a key.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { HASHED, parsePublicKey, type PublicKey, signedComment } from "../cli/update/minisign.ts";
import { PUBLIC_KEY_FILE, REPOSITORY } from "./product.ts";

/**
 * The byte positions in a decoded secret key: the encryption method, the key's ID, the seed, the public key and the
 * checksum.
 */
const [METHOD, ID, SEED, PUBLIC, CHECKSUM] = [2, 54, 62, 94, 126];
const SECRET_BYTES = 158;

/** A key that signs. */
export interface SigningKey {
  publicKey: PublicKey;
  /** Returns the Ed25519 signature of bytes. */
  sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Returns the base64 lines of a file with public keys. The first key signs this release; the others may sign later
 * releases. Without a path, reads release/minisign.pub, and returns an empty list if that file does not exist. Throws Error
 * for an invalid key.
 */
export async function readPublicKeys(path?: string): Promise<string[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(path ?? join(REPOSITORY, PUBLIC_KEY_FILE));
  } catch (error) {
    if (path === undefined && error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  const keys = text.split("\n").map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("untrusted comment:"));
  if (keys.length === 0) throw new Error(`${path ?? PUBLIC_KEY_FILE} contains no public key`);
  keys.forEach(parsePublicKey);
  return keys;
}

/** Parses the content of a secret key file. Throws Error if the key is encrypted or invalid. */
export async function parseSigningKey(text: string): Promise<SigningKey> {
  const line = text.split("\n").map((one) => one.trim())
    .find((one) => one !== "" && !one.startsWith("untrusted comment:"));
  const bytes = decode(line ?? "");
  if (bytes?.length !== SECRET_BYTES) throw new Error("The signing key is not of minisign");
  if (bytes[METHOD] !== 0 || bytes[METHOD + 1] !== 0) {
    throw new Error(
      'The signing key is encrypted with a password: "minisign -C -W -s <file>" removes the password',
    );
  }
  const seed = bytes.slice(SEED, PUBLIC);
  const publicBytes = bytes.slice(PUBLIC, CHECKSUM);
  const encoded = (part: Uint8Array) => part.toBase64({ alphabet: "base64url", omitPadding: true });
  const key = await crypto.subtle.importKey(
    "jwk",
    { kty: "OKP", crv: "Ed25519", d: encoded(seed), x: encoded(publicBytes) },
    "Ed25519",
    false,
    ["sign"],
  );
  const id = bytes.slice(ID, SEED);
  return {
    publicKey: parsePublicKey(
      new Uint8Array([...new TextEncoder().encode("Ed"), ...id, ...publicBytes]).toBase64(),
    ),
    sign: async (data) => new Uint8Array(await crypto.subtle.sign("Ed25519", key, data)),
  };
}

/** Signs the file at `path` and returns the text of its signature file. */
export async function signFile(
  path: string,
  { key, comment }: { key: SigningKey; comment: string },
): Promise<string> {
  const { publicKey } = key;
  const signature = await key.sign(new Uint8Array(await hashFile(path, "blake2b512")));
  const second = await key.sign(signedComment(signature, comment));
  const id = Uint8Array.fromHex(publicKey.id).reverse();
  const first = new Uint8Array([...new TextEncoder().encode(HASHED), ...id, ...signature]);
  return [
    `untrusted comment: verify with the minisign key ${publicKey.id}`,
    first.toBase64(),
    `trusted comment: ${comment}`,
    second.toBase64(),
    "",
  ].join("\n");
}

/** Returns the hash of a file's content as bytes. */
export async function hashFile(
  path: string,
  algorithm: "sha256" | "blake2b512",
): Promise<Uint8Array> {
  const hash = createHash(algorithm);
  using file = await Deno.open(path);
  for await (const chunk of file.readable) hash.update(chunk);
  return hash.digest();
}

function decode(line: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(line);
  } catch {
    return undefined;
  }
}
