// Tests open folders whose path is replaced.
import assert from "node:assert/strict";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { findDescriptors, linkDescriptors } from "../../../../base/files/descriptor_link.ts";
import { STAGED_NAME } from "../../../../base/files/staged_files.ts";
import { identityOf } from "../../../../runtime/tools/files/place.ts";
import type { PathAccess } from "../../../../runtime/tools/files/place.ts";
import { FolderHandle } from "../../../../runtime/tools/files/folder_handle.ts";
import { PlaceChanged } from "../../../../runtime/tools/files/file_failure.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { codeOf, names, testHeld as test } from "./held_entries.ts";

const ACCESS = "write";

/** Defines a test that gets a folder, and in its folder `state` the link to the process's open descriptors. */
function testLinked(
  name: string,
  body: (dir: string, descriptors: string | undefined) => void | Promise<void>,
): void {
  Deno.test({
    name,
    ignore: Deno.build.os !== "linux",
    fn: () =>
      withTempDir(async (dir) => {
        await Deno.mkdir(`${dir}/state`);
        linkDescriptors(`${dir}/state`);
        await body(dir, findDescriptors(`${dir}/state`));
      }),
  });
}

/** Opens a folder whose state folder does not exist. */
const openFolder = (path: string, descriptors: string | undefined, access: PathAccess = ACCESS) =>
  FolderHandle.open(path, { descriptors, stateDir: "/nowhere", access });

test("FolderHandle.create() creates missing folders once", async ({ dir, descriptors }) => {
  const make = async (path: string) => {
    const stateDir = "/nowhere";
    using folder = await FolderHandle.create(path, { descriptors, stateDir, access: ACCESS });
    assert.equal(folder.path, path);
  };
  await Promise.all([make(`${dir}/a/b/c`), make(`${dir}/a/b/d`)]);
  await make(`${dir}/a/b/c`);
  assert.deepEqual(names(`${dir}/a/b`), ["c", "d"]);
});

test("FolderHandle.create() creates nothing below a file or behind a symlink", async ({ dir, descriptors }) => {
  const make = (path: string) =>
    FolderHandle.create(path, { descriptors, stateDir: "/nowhere", access: ACCESS });
  await Deno.writeTextFile(`${dir}/file`, "");
  await assert.rejects(make(`${dir}/file/a`), codeOf("ENOTDIR"));
  await Deno.mkdir(`${dir}/outside`);
  await Deno.symlink(`${dir}/outside`, `${dir}/link`);
  await assert.rejects(make(`${dir}/link/a/b`), PlaceChanged);
  assert.deepEqual(names(`${dir}/outside`), []);
});

test("FolderHandle.open() opens no folder behind a symlink", async ({ dir, descriptors }) => {
  await Deno.mkdir(`${dir}/outside/in`, { recursive: true });
  await Deno.symlink(`${dir}/outside`, `${dir}/link`);
  for (const path of [`${dir}/link`, `${dir}/link/in`]) {
    await assert.rejects(openFolder(path, descriptors, "read"), PlaceChanged);
  }
});

testLinked(
  "FolderHandle changes entries of the open folder when its path is replaced",
  async (dir, descriptors) => {
    for (const name of ["in", "outside"]) {
      await Deno.mkdir(`${dir}/${name}/sub`, { recursive: true });
      await Deno.writeTextFile(`${dir}/${name}/a`, name);
    }
    using folder = await openFolder(`${dir}/in`, descriptors);
    const inside = identityOf(lstatSync(`${dir}/in/a`, { bigint: true }));
    await Deno.rename(`${dir}/in`, `${dir}/moved`);
    await Deno.symlink(`${dir}/outside`, `${dir}/in`);
    mkdirSync(folder.writablePath("new"));
    const staged = folder.createStagedFile();
    assert.match(staged, STAGED_NAME);
    assert.deepEqual(names(`${dir}/moved`), [staged, "a", "new", "sub"].sort());
    assert.ok(folder.has("a", inside));
    renameSync(folder.writablePath(staged), folder.writablePath("b"));
    unlinkSync(folder.writablePath("a"));
    rmdirSync(folder.writablePath("sub"));
    assert.deepEqual(names(`${dir}/moved`), ["b", "new"]);
    assert.deepEqual(names(`${dir}/outside`), ["a", "sub"]);
  },
);

testLinked(
  "FolderHandle.has() distinguishes an entry from the target of a link with its name",
  async (dir, descriptors) => {
    await Deno.mkdir(`${dir}/in`);
    await Deno.writeTextFile(`${dir}/outside`, "outside");
    await Deno.symlink(`${dir}/outside`, `${dir}/in/a`);
    using folder = await openFolder(`${dir}/in`, descriptors, "read");
    const file = openSync(folder.pathOf("a"), constants.O_RDONLY);
    const opened = identityOf(fstatSync(file, { bigint: true }));
    closeSync(file);
    assert.equal(folder.has("a", opened), false);
  },
);

testLinked(
  "FolderHandle cannot write to paths that Deno's flags close",
  async (dir) => {
    for (const name of ["readable", "open"]) await Deno.mkdir(`${dir}/${name}`);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--no-check", "--allow-sys", `--allow-read=${dir}`],
        `--allow-write=${dir}/state,${dir}/open`,
        ...[new URL("./held_under_flags.ts", import.meta.url).pathname, dir],
      ],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const expected = { readable: "Requires write access", open: "written" };
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), expected);
    assert.deepEqual(names(`${dir}/readable`), []);
    assert.deepEqual(names(`${dir}/open`), ["file", "folder"]);
  },
);

testLinked(
  "linkDescriptors() creates or replaces the link, and leaves no other files",
  (dir) => {
    assert.equal(findDescriptors(dir), undefined);
    Deno.symlinkSync(dir, `${dir}/fd`);
    assert.equal(findDescriptors(dir), undefined);
    linkDescriptors(dir);
    linkDescriptors(dir);
    assert.equal(findDescriptors(dir), `${dir}/fd`);
    assert.deepEqual(names(dir), ["fd", "state"]);
  },
);
