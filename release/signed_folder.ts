// Writes the checksums of a release's files, and signs them.
import { basename, join } from "node:path";
import { parsePublicKey, releaseComment } from "../cli/update/minisign.ts";
import { filesBelow } from "./folder.ts";
import { hashFile, parseSigningKey, signFile, type SigningKey } from "./minisign_key.ts";
import { CHECKSUM_FILE } from "./product.ts";

/** The keys of a release. */
export interface ReleaseKeys {
  /** The content of the secret key file. If undefined, nothing is signed. */
  secret: string | undefined;
  /** The public keys that the executables contain. */
  publicKeys: readonly string[];
}

/**
 * Writes SHA256SUMS for the files of the folder. With keys, also signs SHA256SUMS and each file that has the version in its
 * name. Returns the names of the signed files. Throws Error before any change if the keys do not match.
 */
export async function signReleaseFolder(
  folder: string,
  { version, keys }: { version: string; keys: ReleaseKeys },
): Promise<string[]> {
  const key = await matchingKey(keys);
  const names = (await filesBelow(folder)).filter((name) =>
    name !== CHECKSUM_FILE && !name.endsWith(".minisig")
  );
  const sums = await Promise.all(names.map(async (name) => {
    return `${(await hashFile(join(folder, name), "sha256")).toHex()}  ${name}\n`;
  }));
  await Deno.writeTextFile(join(folder, CHECKSUM_FILE), sums.join(""));
  if (key === undefined) return [];
  const signed = [...names.filter((name) => name.includes(`-${version}`)), CHECKSUM_FILE];
  for (const name of signed) {
    const comment = releaseComment({ version, name: basename(name) });
    const path = join(folder, name);
    await Deno.writeTextFile(`${path}.minisig`, await signFile(path, { key, comment }));
  }
  return signed;
}

/** Returns the key that signs, or undefined if the release has no keys. */
async function matchingKey({ secret, publicKeys }: ReleaseKeys): Promise<SigningKey | undefined> {
  const [first] = publicKeys;
  if (secret === undefined && first === undefined) return undefined;
  if (secret === undefined) {
    throw new Error(
      "The executables accept only signed releases, and there is no signing key: " +
        "set INKLING_SIGNING_KEY to the content of its file, or name the file with --key-file",
    );
  }
  const key = await parseSigningKey(secret);
  if (first === undefined) {
    throw new Error(
      "The executables contain no public key, so no signature would be verified: add release/minisign.pub",
    );
  }
  const { id, bytes } = parsePublicKey(first);
  // Compare the bytes, too: a wrong secret key can have the ID of the public key.
  if (key.publicKey.id === id && key.publicKey.bytes.toHex() === bytes.toHex()) return key;
  throw new Error(
    `The signing key is ${key.publicKey.id}, and the first public key of the release is ${id}`,
  );
}
