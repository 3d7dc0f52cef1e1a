// The dry run of a release: builds the files, signs them with a throwaway key, serves them on this machine, and installs
// and updates from there. Publishes nothing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parsePublicKey, releaseComment, verifySignature } from "../../cli/update/minisign.ts";
import { COMPILE_FLAGS, compileExecutable } from "../../release/executable.ts";
import { hashFile } from "../../release/minisign_key.ts";
import { NAME, VERSION } from "../../release/product.ts";
import { writeReleaseFolder } from "../../release/release_folder.ts";
import { RuntimeImageMissing } from "../../release/runtime_image.ts";
import { signReleaseFolder } from "../../release/signed_folder.ts";
import { openStage } from "../../release/stage.ts";
import { ownTarget, releaseFileName } from "../../release/target.ts";
import { openFolderServer } from "../../tests/release/folder_server.ts";
import { runReleaseTask } from "../../tests/release/task_run.ts";
import { createThrowawayKey } from "../../tests/release/throwaway_key.ts";
import { createTempDir } from "../../tests/support/temp_dir.ts";
import { step } from "../trial/step.ts";

/** The temporary folders of a dry run, and its key. */
interface DryRun {
  root: string;
  folder: string;
  /** The path at which install.sh installs the program. */
  installed: string;
  address: string;
  publicLine: string;
}

/** Makes, signs, installs and updates a release. Rejects if a step fails. */
export async function checkRelease(): Promise<void> {
  await using temp = await createTempDir();
  const folder = join(temp.path, "release");
  await using server = openFolderServer(folder);
  const key = await createThrowawayKey();
  const run: DryRun = {
    root: temp.path,
    folder,
    installed: join(temp.path, "home/.local/bin/inkling"),
    address: server.address,
    publicLine: key.publicLine,
  };
  const publicKey = join(temp.path, "minisign.pub");
  await Deno.writeTextFile(publicKey, key.publicFile);
  await using stage = await step(
    "the program",
    () => openStage({ address: run.address, "public-key": publicKey }),
  );
  await step("the release", () => writeRelease(run, stage.directory));
  await step("the npm package", () => addPackage(folder));
  const keys = { secret: key.secret, publicKeys: [key.publicLine] };
  const signed = await step(
    "the checksums and signatures",
    () => signReleaseFolder(folder, { version: VERSION, keys }),
  );
  await checkFiles(run, signed);
  await step("install.sh", () => install(run));
  await step("inkling update", () => update(run));
  await step("inkling update refuses another file", () => refuseChange(run));
  console.log(`${NAME} ${VERSION}: the dry run of the release is complete, nothing was published`);
}

/** Writes the release with an executable for this machine, or with a stand-in if there is no runtime image. */
async function writeRelease(run: DryRun, stage: string): Promise<void> {
  await writeReleaseFolder(run.folder, {
    name: NAME,
    version: VERSION,
    targets: [ownTarget()],
    address: run.address,
    keys: [run.publicLine],
    async build(target, output) {
      try {
        await compileExecutable(stage, { target, output });
      } catch (error) {
        if (!(error instanceof RuntimeImageMissing)) throw error;
        console.log(`${error.message}\nA script stands in for the executable`);
        await writeStandIn(run, { stage, output });
      }
    },
  });
}

/** Writes a script that runs the program under this Deno. The program behaves as if this script were its executable. */
async function writeStandIn(
  { root, installed }: DryRun,
  { stage, output }: { stage: string; output: string },
): Promise<void> {
  const preload = join(root, "stand_in.js");
  await Deno.writeTextFile(
    preload,
    `Object.defineProperty(Deno, "build", { value: { ...Deno.build, standalone: true } });
Object.defineProperty(Deno, "execPath", { value: () => ${JSON.stringify(installed)} });\n`,
  );
  // The other flags concern only building.
  const flags = COMPILE_FLAGS.filter((flag) => !/^--(app-name|no-code-cache|no-check)/.test(flag));
  const command = [
    ...[Deno.execPath(), "run", "--quiet", "--preload", preload],
    ...["--config", join(stage, "deno.json"), ...flags, join(stage, "main.js")],
  ];
  const quoted = command.map((part) => `'${part}'`).join(" ");
  await Deno.writeTextFile(output, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
}

async function addPackage(folder: string): Promise<void> {
  const run = await runReleaseTask("package", ["--folder", folder]);
  assert.equal(run.code, 0, run.stderr);
}

/** Checks that the release has all files and no others, and that the checksums and signatures are right. */
async function checkFiles({ folder, publicLine }: DryRun, signed: string[]): Promise<void> {
  const own = releaseFileName(NAME, { version: VERSION, target: ownTarget() });
  const versioned = [own, `${NAME}-${VERSION}.cdx.json`, `${NAME}-${VERSION}.tgz`];
  assert.deepEqual(signed.toSorted(), [...versioned, "SHA256SUMS"].sort());
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  const others = ["LICENSE", "THIRD_PARTY_LICENSES.txt", "install.sh", "latest.json"];
  assert.deepEqual(
    names,
    [...signed, ...signed.map((name) => `${name}.minisig`), ...others].sort(),
  );
  await succeed(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: folder });
  for (const name of signed) {
    const comment = await verifySignature(
      await Deno.readTextFile(join(folder, `${name}.minisig`)),
      {
        hash: new Uint8Array(await hashFile(join(folder, name), "blake2b512")),
        keys: [parsePublicKey(publicLine)],
      },
    );
    assert.equal(comment, releaseComment({ version: VERSION, name }));
  }
  console.log(`${names.length} files are in the release, ${signed.length} of them signed`);
}

async function install(run: DryRun): Promise<void> {
  await Deno.mkdir(join(run.root, "home"));
  const said = await succeed(["sh", join(run.folder, "install.sh")], homeOf(run));
  // Print the line that says whether the signature was verified. This depends on the programs of the machine.
  console.log(said.split("\n").find((line) => /checksum/.test(line)) ?? said);
  assert.equal(await succeed([run.installed, "--version"], homeOf(run)), `${VERSION}\n`);
}

async function update(run: DryRun): Promise<void> {
  const check = await succeed([run.installed, "update", "--check"], homeOf(run));
  assert.match(check, /is the newest version/);
  const said = await succeed([run.installed, "update", "--force"], homeOf(run));
  assert.equal(said, `Inkling ${VERSION} is installed (it was ${VERSION})\n`);
}

/**
 * Replaces the executable and its checksum in the release, as an attacker on the server would, and checks that `inkling
 * update` refuses it because of its signature.
 */
async function refuseChange(run: DryRun): Promise<void> {
  const own = join(run.folder, releaseFileName(NAME, { version: VERSION, target: ownTarget() }));
  const before = await Deno.readFile(run.installed);
  await Deno.writeTextFile(own, `#!/bin/sh\necho ${VERSION}\n`);
  const latest = join(run.folder, "latest.json");
  const manifest = JSON.parse(await Deno.readTextFile(latest));
  manifest.files[ownTarget()].sha256 = (await hashFile(own, "sha256")).toHex();
  await Deno.writeTextFile(latest, JSON.stringify(manifest));
  const { code, stderr } = await execute([run.installed, "update", "--force"], homeOf(run));
  assert.equal(code, 1);
  assert.match(stderr, /its signature is wrong, so it is not installed/);
  assert.deepEqual(await Deno.readFile(run.installed), before);
}

/** Returns the options of a command that runs with an empty home. */
function homeOf({ root }: DryRun): Deno.CommandOptions {
  const home = join(root, "home");
  return {
    cwd: root,
    clearEnv: true,
    env: { HOME: home, PATH: Deno.env.get("PATH") ?? "", NO_COLOR: "1", NO_PROXY: "127.0.0.1" },
  };
}

async function succeed(command: readonly string[], options: Deno.CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await execute(command, options);
  assert.equal(code, 0, `${command.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

async function execute([program = "", ...args]: readonly string[], options: Deno.CommandOptions) {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    stdin: "null",
  }).output();
  const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out, stderr: err };
}
