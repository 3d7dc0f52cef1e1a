// Updates a compiled binary: downloads the new binary, verifies its checksum, runs it, replaces the old binary, and runs
// the new one at its final path.
import { createHash } from "node:crypto";
import type { CommandContext } from "../context/context.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { openSwapPlaces, swapBinary } from "./binary_swap.ts";
import type { Release } from "./release.ts";
import { fetchChunks, type FetchOptions } from "./release_fetch.ts";
import { requireVersion } from "./version_answer.ts";

/** The maximum size of a download. No release is close to it. */
const LARGEST_BINARY_BYTES = 1_073_741_824;

/** Replaces the executable with the binary of the release. After a CommandFailure, the old binary is still in place. */
export async function updateBinary(
  { app, output }: CommandContext,
  options: { executable: string; release: Release; signal: AbortSignal },
): Promise<void> {
  const { release, signal } = options;
  const { version } = release;
  await using places = await openSwapPlaces(options.executable);
  output.note(`Downloading Inkling ${version}`);
  const work = { clock: app.clock, signal };
  const { mode } = await Deno.stat(places.path);
  await download(release, { ...work, path: places.next });
  // Copies the old file's permissions, and makes the file readable and executable for its owner.
  if (mode !== null) await Deno.chmod(places.next, (mode & 0o777) | 0o500);
  // Runs the new binary before the replacement. Most problems, such as a missing library, appear here.
  await requireVersion([places.next], { ...work, version });
  await swapBinary(places, {
    os: Deno.build.os,
    check: (path) => requireVersion([path], { ...work, version }),
  });
}

/** Downloads the binary of the release to `options.path`. Throws CommandFailure if the checksum does not match. */
async function download(
  release: Release,
  options: FetchOptions & { path: string },
): Promise<void> {
  const { address, sha256 } = release;
  const hash = createHash("sha256");
  using file = await Deno.open(options.path, { write: true, createNew: true, mode: 0o700 });
  for await (const chunk of fetchChunks(address, { ...options, limit: LARGEST_BINARY_BYTES })) {
    hash.update(chunk);
    for (let written = 0; written < chunk.length;) {
      written += await file.write(chunk.subarray(written));
    }
  }
  const found = hash.digest("hex");
  if (found !== sha256) {
    throw new CommandFailure(
      EXIT.failed,
      `Cannot use ${address}: its checksum is wrong, so it is not installed\n` +
        `  latest.json says ${sha256}\n  the download has ${found}`,
    );
  }
  await file.sync();
}
