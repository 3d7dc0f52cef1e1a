import assert from "node:assert/strict";
import { FolderView } from "../../runtime/triggers/folder_view.ts";

const FILES = 130_000;
const BIG = "/watched/big";

/** A disk with so many files in one folder; making them for real takes longer than the rest of all tests. */
function imagineFiles(count: () => number): Disposable {
  const { readDir, lstat } = Deno;
  const entry = (name: string, isFile: boolean): Deno.DirEntry => (
    { name, isFile, isDirectory: !isFile, isSymlink: false }
  );
  Deno.readDir = async function* (folder) {
    if (folder === BIG) { for (let i = 0; i < count(); i++) yield entry(`${i}.md`, true); }
    else yield* [entry("big", false), entry("zz.md", true)];
  };
  const info = { ino: 1, size: 1, mtime: new Date(0) };
  Deno.lstat = (path) => {
    const isFile = path !== "/watched";
    return Promise.resolve({ ...info, isFile, isDirectory: !isFile } as Deno.FileInfo);
  };
  return {
    [Symbol.dispose]: () => void Object.assign(Deno, { readDir, lstat }),
  };
}

Deno.test("FolderView takes in, and misses again, more files than fit into the arguments of a call", async () => {
  let count = FILES;
  using _files = imagineFiles(() => count);
  const view = new FolderView("/watched", {
    recursive: true,
    only: undefined,
    isSkipped: () => false,
    signal: new AbortController().signal,
    most: Infinity,
  });
  const changes = async () => (await view.scanAll()).sort().changes;
  assert.equal((await changes()).length, FILES + 1);
  assert.notEqual(view.stampAt("/watched/zz.md"), null);
  assert.deepEqual(await changes(), []);
  count = 0;
  const gone = await changes();
  assert.equal(gone.length, FILES);
  assert.ok(gone.every(({ now }) => now === null));
});
