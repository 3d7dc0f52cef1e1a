// Tests that `inkling update` and install.sh can read the folder that `deno task release` writes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { readRelease } from "../../cli/update/release.ts";
import { fetchChunks } from "../../cli/update/release_fetch.ts";
import { writeReleaseFolder } from "../../release/release_folder.ts";
import { TARGETS } from "../../release/target.ts";
import { SystemClock } from "../../base/clock.ts";
import { createTempDir } from "../support/temp_dir.ts";
import { openFolderServer } from "./folder_server.ts";
import { runReleaseTask } from "./task_run.ts";

const CONTENTS = {
  name: "inkling",
  version: "1.2.3",
  targets: TARGETS,
  address: "https://example.org/it's/new/",
  keys: [],
  build: (target: string, path: string) => Deno.writeTextFile(path, `for ${target}`),
};

Deno.test("writeReleaseFolder() writes everything that inkling update and install.sh need", async () => {
  await using folder = await createTempDir();
  const release = join(folder.path, "release");
  await writeReleaseFolder(release, CONTENTS);
  await using server = openFolderServer(release);
  const options = { clock: new SystemClock(), signal: new AbortController().signal };
  for (const target of TARGETS) {
    const found = await readRelease(new URL(server.address), { ...options, target });
    assert.equal(found.version, "1.2.3");
    assert.equal(found.address.pathname.endsWith(".exe"), target.includes("windows"));
    const chunks = await Array.fromAsync(fetchChunks(found.address, { ...options, limit: 1_000 }));
    const bytes = await new Blob(chunks as BlobPart[]).arrayBuffer();
    assert.equal(new TextDecoder().decode(bytes), `for ${target}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    assert.equal(found.sha256, digest.toHex());
  }
  const script = join(release, "install.sh");
  const text = await Deno.readTextFile(script);
  assert.match(text, /^built_in='https:\/\/example\.org\/it%27s\/new\/'$/m);
  assert.equal(((await Deno.stat(script)).mode ?? 0) & 0o100, 0o100);
  assert.match(await Deno.readTextFile(join(release, "THIRD_PARTY_LICENSES.txt")), /^TEXTS$/m);
  assert.match(text, /^public_key=''$/m);
  await writeReleaseFolder(release, { ...CONTENTS, address: undefined, keys: ["RW+/1=", "RW2"] });
  assert.match(await Deno.readTextFile(script), /^built_in=''$/m);
  assert.match(await Deno.readTextFile(script), /^public_key='RW\+\/1='$/m);
});

Deno.test("writeReleaseFolder() keeps the last release until the next release is complete", async () => {
  await using folder = await createTempDir();
  const release = join(folder.path, "release");
  await writeReleaseFolder(release, CONTENTS);
  const names = () => [...Deno.readDirSync(release)].map(({ name }) => name).sort();
  const before = names();
  await assert.rejects(
    writeReleaseFolder(release, {
      ...CONTENTS,
      version: "1.2.4",
      build: (target, path) =>
        target.includes("windows")
          ? Promise.reject(new Error("no image"))
          : CONTENTS.build(target, path),
    }),
    /no image/,
  );
  assert.deepEqual(names(), before);
  assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["release"]);
  // Files of a failed release must not get into the next release.
  await writeReleaseFolder(release, {
    ...CONTENTS,
    version: "1.2.5",
    targets: TARGETS.slice(0, 1),
  });
  assert.deepEqual(names(), [
    "LICENSE",
    "THIRD_PARTY_LICENSES.txt",
    "inkling-1.2.5-x86_64-unknown-linux-gnu",
    "inkling-1.2.5.cdx.json",
    "install.sh",
    "latest.json",
  ]);
});

Deno.test("deno task release refuses an address that is unsafe for downloads", async () => {
  await using folder = await createTempDir();
  const args = ["--folder", join(folder.path, "release"), "--address", "http://example.org/"];
  const run = await runReleaseTask("release", args);
  assert.equal(run.code, 1);
  assert.match(
    run.stderr,
    /^--address is not a valid release address: http:\/\/example\.org\/\n.*https/,
  );
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});
