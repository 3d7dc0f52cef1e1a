// Writes a release as `inkling update` and install.sh expect it: latest.json and the files that it names.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { removeIfThere, writeJson } from "./folder.ts";
import { LEGAL_FILES, REPOSITORY } from "./product.ts";
import { releaseFileName, type Target } from "./target.ts";

/** The line of install.sh that is replaced by the address of the release. */
const NO_ADDRESS = "built_in=''";

/** The contents of a release. */
export interface ReleaseContents {
  name: string;
  version: string;
  targets: readonly Target[];
  /**
   * The public address of the release's folder; undefined: install.sh requires an environment variable with the address.
   */
  address: string | undefined;
  /** Builds the executable for a machine at `path`. */
  build(target: Target, path: string): Promise<void>;
}

/** Writes the folder of the release and replaces an existing one. The new folder appears only when it is complete. */
export async function writeReleaseFolder(folder: string, contents: ReleaseContents): Promise<void> {
  const partial = `${folder}.partial`;
  await removeIfThere(partial);
  await Deno.mkdir(partial, { recursive: true });
  try {
    await fillFolder(partial, contents);
    await removeIfThere(folder);
    await Deno.rename(partial, folder);
  } finally {
    await removeIfThere(partial);
  }
}

async function fillFolder(folder: string, contents: ReleaseContents): Promise<void> {
  const { name, version, targets } = contents;
  const files: Record<string, { name: string; sha256: string }> = {};
  for (const target of targets) {
    const file = releaseFileName(name, { version, target });
    await contents.build(target, join(folder, file));
    files[target] = { name: file, sha256: await sha256(join(folder, file)) };
  }
  await writeJson(join(folder, "latest.json"), { version, files });
  await writeInstallScript(join(folder, "install.sh"), contents.address);
  for (const paper of LEGAL_FILES) {
    await Deno.copyFile(join(REPOSITORY, paper), join(folder, paper));
  }
}

/** Writes install.sh with the address of the release. */
async function writeInstallScript(path: string, address: string | undefined): Promise<void> {
  const script = await Deno.readTextFile(join(REPOSITORY, "release/install.sh"));
  if (script.split(`\n${NO_ADDRESS}\n`).length !== 2) {
    throw new Error(`install.sh has no line that says: ${NO_ADDRESS}`);
  }
  // Escape quotes, because a quote would end the shell's string.
  const quoted = address?.replaceAll("'", "%27") ?? "";
  const filled = `built_in='${quoted}'`;
  await Deno.writeTextFile(path, script.replace(NO_ADDRESS, () => filled), { mode: 0o755 });
}

/** Returns the SHA-256 of a file in lower-case hexadecimal. */
async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const chunk of file.readable) hash.update(chunk);
  return hash.digest("hex");
}
