// Writes a release in the form that `inkling update` and install.sh expect: latest.json and the files that it names.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { removeIfThere, writeJson } from "./folder.ts";
import { LEGAL_FILES, REPOSITORY } from "./product.ts";
import { releaseFileName, type Target } from "./target.ts";

/** The line of install.sh that a release fills in. */
const NO_ADDRESS = "built_in=''";

/** The contents of a release. */
export interface ReleaseContents {
  name: string;
  version: string;
  targets: readonly Target[];
  /** The folder's public address; undefined: install.sh asks for a variable. */
  address: string | undefined;
  /** Builds the executable for a machine at a path. */
  build(target: Target, path: string): Promise<void>;
}

/** Writes the folder, replacing an existing one. It appears only when it is complete. */
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

/** Writes install.sh with the address filled in. */
async function writeInstallScript(path: string, address: string | undefined): Promise<void> {
  const script = await Deno.readTextFile(join(REPOSITORY, "release/install.sh"));
  if (script.split(`\n${NO_ADDRESS}\n`).length !== 2) {
    throw new Error(`install.sh has no line that says: ${NO_ADDRESS}`);
  }
  // A quote in the address would end the shell's string.
  const quoted = address?.replaceAll("'", "%27") ?? "";
  const filled = `built_in='${quoted}'`;
  await Deno.writeTextFile(path, script.replace(NO_ADDRESS, () => filled), { mode: 0o755 });
}

/** In lower-case hexadecimal. */
async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const chunk of file.readable) hash.update(chunk);
  return hash.digest("hex");
}
