import assert from "node:assert/strict";
import { identityOf } from "../../../../runtime/tools/files/place.ts";
import { FolderHandle } from "../../../../runtime/tools/files/folder_handle.ts";
import { PlaceChanged, PlaceUnsettled } from "../../../../runtime/tools/files/file_failure.ts";
import { lstatIfExists, StagedFile } from "../../../../runtime/tools/files/staged_file.ts";
import { FILE_CLOCK } from "../../../../runtime/tools/files/unmoved_folder.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { names, testHeld as test } from "./held_entries.ts";

const { signal } = new AbortController();
const bytes = (text: string) => new TextEncoder().encode(text);

const refuse = () => {
  throw Object.assign(new Error("no hard links here"), { code: "EPERM" });
};

async function identityAt(path: string): Promise<string> {
  const info = await lstatIfExists(path);
  assert.ok(info);
  return identityOf(info);
}

test("StagedFile.publish() replaces an existing file, with the requested permissions", async ({ dir, entry }) => {
  const target = `${dir}/a`;
  await Deno.writeTextFile(target, "old");
  const staged = await StagedFile.write(await entry(dir, "a"), [bytes("new "), bytes("text")], {
    mode: 0o100640,
    signal,
  });
  assert.equal(await Deno.readTextFile(target), "old");
  const version = staged.version();
  await staged.publish();
  assert.equal(await Deno.readTextFile(target), "new text");
  assert.equal(((await Deno.stat(target)).mode ?? 0) & 0o777, 0o640);
  assert.ok(version.startsWith(await identityAt(target)));
  assert.deepEqual(names(dir), ["a"]);
});

test("StagedFile.publishNew() overwrites no file; discard() deletes the staged file", async ({ dir, entry }) => {
  await Deno.writeTextFile(`${dir}/a`, "old");
  const staged = await StagedFile.write(await entry(dir, "a"), [bytes("new")], { signal });
  await assert.rejects(staged.publishNew(), { code: "EEXIST" });
  staged.discard();
  staged.discard();
  assert.equal(await Deno.readTextFile(`${dir}/a`), "old");
  assert.deepEqual(names(dir), ["a"]);
});

test("StagedFile.publishNew() publishes to a free name without hard links", async ({ dir, entry }) => {
  const staged = await StagedFile.write(await entry(dir, "a"), [bytes("new")], { signal });
  await staged.publishNew({ link: refuse });
  assert.equal(await Deno.readTextFile(`${dir}/a`), "new");
  assert.deepEqual(names(dir), ["a"]);
});

test("StagedFile.publishNew() overwrites no file without hard links", async ({ dir, entry }) => {
  const target = `${dir}/a`;
  const staged = await StagedFile.write(await entry(dir, "a"), [bytes("new")], { signal });
  await assert.rejects(
    staged.publishNew({
      // The other file is created only when the link is refused, so that an earlier check cannot find it.
      link() {
        Deno.writeTextFileSync(target, "theirs");
        refuse();
      },
    }),
    { code: "EEXIST" },
  );
  assert.equal(await Deno.readTextFile(target), "theirs");
  staged.discard();
  assert.deepEqual(names(dir), ["a"]);
});

test("StagedFile.write() hides a file from other users while it writes", async ({ dir, entry }) => {
  const seen: number[] = [];
  function* chunks(): Generator<Uint8Array> {
    for (const text of ["some", "more"]) {
      yield bytes(text);
      for (const name of names(dir)) {
        seen.push((Deno.statSync(`${dir}/${name}`).mode ?? 0) & 0o777);
      }
    }
  }
  const mode = 0o100640;
  const staged = await StagedFile.write(await entry(dir, "a"), chunks(), { mode, signal });
  assert.deepEqual(seen, [0o600, 0o600]);
  await staged.publish();
  assert.equal((Deno.statSync(`${dir}/a`).mode ?? 0) & 0o777, 0o640);
});

test("StagedFile.write() leaves no file behind when it is aborted", async ({ dir, entry }) => {
  const stop = new AbortController();
  function* chunks(): Generator<Uint8Array> {
    yield bytes("some");
    stop.abort(new Error("stopped"));
    yield bytes("more");
  }
  await assert.rejects(
    StagedFile.write(await entry(dir, "a"), chunks(), { signal: stop.signal }),
    /stopped/,
  );
  assert.deepEqual(names(dir), []);
});

test("StagedFile.link() refuses another file with the same name", async ({ dir, entry }) => {
  await Deno.writeTextFile(`${dir}/a`, "a");
  await Deno.writeTextFile(`${dir}/other`, "other");
  const identity = await identityAt(`${dir}/a`);
  const staged = await StagedFile.link(await entry(dir, "a"), identity, await entry(dir, "b"));
  await staged.publishNew();
  assert.equal(await identityAt(`${dir}/b`), identity);
  await assert.rejects(
    StagedFile.link(await entry(dir, "other"), identity, await entry(dir, "c")),
    PlaceChanged,
  );
  assert.deepEqual(names(dir), ["a", "b", "other"]);
});

test("StagedFile.moveAside() refuses another file with the same name, and can be undone", async ({ dir, entry }) => {
  await Deno.writeTextFile(`${dir}/a`, "a");
  await Deno.writeTextFile(`${dir}/other`, "other");
  const other = await identityAt(`${dir}/other`);
  await assert.rejects(StagedFile.moveAside(await entry(dir, "a"), other), PlaceChanged);
  const aside = await StagedFile.moveAside(await entry(dir, "a"), await identityAt(`${dir}/a`));
  assert.equal(await lstatIfExists(`${dir}/a`), undefined);
  await aside.publishNew();
  assert.equal(await Deno.readTextFile(`${dir}/a`), "a");
  assert.deepEqual(names(dir), ["a", "other"]);
});

test("StagedFile.publish() writes nothing outside if a symlink has replaced the file's folder", async ({ dir, descriptors, entry }) => {
  await Deno.mkdir(`${dir}/in`);
  await Deno.mkdir(`${dir}/outside`);
  await Deno.writeTextFile(`${dir}/outside/a`, "theirs");
  const staged = await StagedFile.write(await entry(`${dir}/in`, "a"), [bytes("ours")], {
    signal,
  });
  await Deno.rename(`${dir}/in`, `${dir}/in-before`);
  await Deno.symlink(`${dir}/outside`, `${dir}/in`);
  if (descriptors === undefined) {
    await assert.rejects(staged.publish(), PlaceChanged);
  } else {
    await staged.publish();
    assert.equal(await Deno.readTextFile(`${dir}/in-before/a`), "ours");
  }
  assert.equal(await Deno.readTextFile(`${dir}/outside/a`), "theirs");
  assert.deepEqual(names(`${dir}/outside`), ["a"]);
});

Deno.test("StagedFile.write() fails if a folder without a descriptor is swapped again and again", () =>
  withTempDir(async (dir) => {
    for (const name of ["in", "outside"]) await Deno.mkdir(`${dir}/${name}`);
    const heard: string[] = [];
    const listener = Deno.watchFs(`${dir}/outside`);
    const listening = (async () => {
      for await (const { kind, paths } of listener) heard.push(`${kind} ${paths}`);
    })();
    await Deno.symlink(`${dir}/outside`, `${dir}/link`);
    // The folder is swapped at each read of the clock, so that it never counts as unmoved, also on a busy machine.
    const now = FILE_CLOCK.now;
    FILE_CLOCK.now = () => {
      Deno.renameSync(`${dir}/in`, `${dir}/in-before`);
      Deno.renameSync(`${dir}/link`, `${dir}/in`);
      Deno.renameSync(`${dir}/in`, `${dir}/link`);
      Deno.renameSync(`${dir}/in-before`, `${dir}/in`);
      return now.call(FILE_CLOCK);
    };
    try {
      await assert.rejects(async () => {
        using folder = await FolderHandle.open(`${dir}/in`, {
          descriptors: undefined,
          stateDir: "/nowhere",
          access: "write",
        });
        await StagedFile.write({ folder, name: "a" }, [bytes("ours")], { signal });
      }, PlaceUnsettled);
    } finally {
      FILE_CLOCK.now = now;
      listener.close();
      await listening;
    }
    assert.deepEqual([...names(`${dir}/in`), ...heard], []);
  }));
