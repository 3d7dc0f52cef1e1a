// Writes a release as `inkling update` and install.sh expect it: latest.json and the files that it names.
import { join } from "node:path";
import { removeIfThere, writeJson } from "./folder.ts";
import { hashFile } from "./minisign_key.ts";
import { LEGAL_FILES, REPOSITORY, SBOM } from "./product.ts";
import { releaseFileName, type Target } from "./target.ts";

/** The lines of install.sh that are replaced by the address and the public key of the release. */
const NO_ADDRESS = "built_in=''";
const NO_KEY = "public_key=''";

/** The contents of a release. */
export interface ReleaseContents {
  name: string;
  version: string;
  targets: readonly Target[];
  /**
   * The public address of the release's folder. If undefined, install.sh requires an environment variable with the address.
   */
  address: string | undefined;
  /** The public keys of minisign that the executables contain. The first key signs the release. */
  keys: readonly string[];
  /** Builds the executable for `target` and writes it to `path`. */
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
    files[target] = { name: file, sha256: (await hashFile(join(folder, file), "sha256")).toHex() };
  }
  await writeJson(join(folder, "latest.json"), { version, files });
  await writeInstallScript(join(folder, "install.sh"), contents);
  await Deno.copyFile(join(REPOSITORY, SBOM), join(folder, `${name}-${version}.cdx.json`));
  for (const paper of LEGAL_FILES) {
    await Deno.copyFile(join(REPOSITORY, paper), join(folder, paper));
  }
}

/** Writes install.sh with the address and the public key of the release. */
async function writeInstallScript(
  path: string,
  { address, keys }: Pick<ReleaseContents, "address" | "keys">,
): Promise<void> {
  let script = await Deno.readTextFile(join(REPOSITORY, "release/install.sh"));
  const [key = ""] = keys;
  for (const [line, value] of [[NO_ADDRESS, address ?? ""], [NO_KEY, key]] as const) {
    if (script.split(`\n${line}\n`).length !== 2) {
      throw new Error(`install.sh has no line that says: ${line}`);
    }
    // Escape quotes, because a quote would end the shell's string.
    const filled = line.replace("''", () => `'${value.replaceAll("'", "%27")}'`);
    script = script.replace(line, () => filled);
  }
  await Deno.writeTextFile(path, script, { mode: 0o755 });
}
