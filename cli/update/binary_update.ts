// Updates a compiled binary: downloads the new binary, verifies its checksum and its signature, runs it, replaces the old
// binary, and runs the new one at its final path.
import { createHash } from "node:crypto";
import type { CommandContext } from "../context/context.ts";
import { commandFailed } from "../context/exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { openSwapPlaces, swapBinary } from "./binary_swap.ts";
import { parsePublicKey, releaseComment, SignatureError, verifySignature } from "./minisign.ts";
import type { Release } from "./release.ts";
import { fetchChunks, type FetchOptions, fetchText } from "./release_fetch.ts";
import { requireVersion } from "./version_answer.ts";

/** The maximum size of a download. No release is close to it. */
const LARGEST_BINARY_BYTES = 1_073_741_824;
/** The maximum size of a signature file, which has four lines. */
const LARGEST_SIGNATURE_BYTES = 10_000;

/**
 * Replaces the executable with the binary of the release, which one of the keys must have signed. Without keys, compares
 * only the checksum, and prints a note that no signature was verified. After a CommandFailure, the old binary is still in
 * place.
 */
export async function updateBinary(
  { app, output }: CommandContext,
  options: {
    executable: string;
    release: Release;
    /** Public keys of minisign. */
    keys: readonly string[];
    signal: AbortSignal;
  },
): Promise<void> {
  const { release, keys, signal } = options;
  const { version } = release;
  await using places = await openSwapPlaces(options.executable);
  output.note(`Downloading Inkling ${version}`);
  const work = { clock: app.clock, signal };
  const { mode } = await Deno.stat(places.path);
  // Fetch the signature first, so that a release without a signature fails before the download.
  const signature = keys.length === 0 ? undefined : await fetchSignature(release, work);
  const hash = await download(release, { ...work, path: places.next });
  if (signature === undefined) {
    output.note("Compared only the checksum: this Inkling has no key to verify signatures");
  } else {
    await requireSignature(release, { signature, hash, keys });
  }
  // Copies the old file's permissions, and makes the file readable and executable for its owner.
  if (mode !== null) await Deno.chmod(places.next, (mode & 0o777) | 0o500);
  // Runs the new binary before the replacement. Most problems, such as a missing library, appear here.
  await requireVersion([places.next], { ...work, version });
  await swapBinary(places, (path) => requireVersion([path], { ...work, version }));
}

/**
 * Returns the text of the signature file, which is in the binary's folder. Throws CommandFailure if there is no such file.
 */
function fetchSignature({ address }: Release, options: FetchOptions): Promise<string> {
  const file = new URL(`${address.href}.minisig`);
  return fetchText(file, { ...options, limit: LARGEST_SIGNATURE_BYTES });
}

/** Throws CommandFailure unless one of the keys has signed the hash for this version and name. */
async function requireSignature(
  release: Release,
  { signature, hash, keys }: {
    signature: string;
    hash: Uint8Array<ArrayBuffer>;
    keys: readonly string[];
  },
): Promise<void> {
  const expected = releaseComment(release);
  let comment: string;
  try {
    comment = await verifySignature(signature, { hash, keys: keys.map(parsePublicKey) });
  } catch (cause) {
    if (!(cause instanceof SignatureError)) throw cause;
    throw commandFailed(`Cannot use ${release.address}: ${cause.message}, so it is not installed`, {
      cause,
    });
  }
  // An old release has a valid signature, too. This check keeps a server from offering an old release as a new release.
  if (comment === expected) return;
  throw commandFailed(
    `Cannot use ${release.address}: its signature is for another file, so it is not installed\n` +
      `  latest.json names ${expected}\n  the signature has ${toOneLine(comment).slice(0, 200)}`,
  );
}

/**
 * Downloads the binary of the release to `options.path` and returns its BLAKE2b-512 hash. Throws CommandFailure if the
 * checksum does not match.
 */
async function download(
  release: Release,
  options: FetchOptions & { path: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const { address, sha256 } = release;
  const checksum = createHash("sha256");
  const hash = createHash("blake2b512");
  using file = await Deno.open(options.path, { write: true, createNew: true, mode: 0o700 });
  for await (const chunk of fetchChunks(address, { ...options, limit: LARGEST_BINARY_BYTES })) {
    checksum.update(chunk);
    hash.update(chunk);
    for (let written = 0; written < chunk.length;) {
      written += await file.write(chunk.subarray(written));
    }
  }
  const found = checksum.digest("hex");
  if (found !== sha256) {
    throw commandFailed(
      `Cannot use ${address}: its checksum is wrong, so it is not installed\n` +
        `  latest.json says ${sha256}\n  the download has ${found}`,
    );
  }
  await file.sync();
  return new Uint8Array(hash.digest());
}
