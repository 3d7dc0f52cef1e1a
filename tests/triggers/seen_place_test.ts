import assert from "node:assert/strict";
import { join } from "node:path";
import { SeenPlace } from "../../runtime/triggers/seen_place.ts";
import { findWatchedRoot, type WatchedRoot } from "../../runtime/triggers/watched_root.ts";

async function rootAt(path: string): Promise<WatchedRoot> {
  const root = await findWatchedRoot(path, { isClosed: () => false, former: undefined });
  assert.ok(root !== undefined);
  return root;
}

Deno.test("SeenPlace knows what was there until something else has taken its place", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const [inbox, other] = [join(root, "inbox"), join(root, "other")];
  const file = join(inbox, "a.md");
  for (const folder of [inbox, other]) await Deno.mkdir(folder);
  await Deno.writeTextFile(file, "a");
  const options = {
    recursive: true,
    isSkipped: () => false,
    most: Infinity,
    signal: new AbortController().signal,
  };
  const seen = new SeenPlace();
  assert.equal(seen.isKnown, false);
  assert.deepEqual([seen.file, seen.folder, seen.stampAt(file)], [undefined, undefined, null]);
  assert.deepEqual([...seen.files()], []);

  const view = seen.viewOf(await rootAt(inbox), options);
  await view.scanAll();
  assert.equal(seen.isKnown, true);
  assert.deepEqual([seen.file, seen.folder], [undefined, inbox]);
  assert.deepEqual([...seen.files()], [[file, seen.stampAt(file)]]);

  // Gone, and made anew at the same path: it is compared with what was there.
  await Deno.remove(inbox, { recursive: true });
  await Deno.mkdir(inbox);
  assert.equal([...seen.files()].length, 1);
  const again = seen.viewOf(await rootAt(inbox), options);
  assert.equal(again, view);
  assert.deepEqual((await again.scanAll()).sort().changes.map(({ path }) => path), [file]);

  // A link leads somewhere else now.
  await Deno.writeTextFile(join(other, "b.md"), "b");
  await seen.viewOf(await rootAt(other), options).scanAll();
  assert.deepEqual([...seen.files()].map(([path]) => path), [join(other, "b.md")]);
  assert.equal(seen.folder, other);
  await seen.viewOf(await rootAt(join(other, "b.md")), options).scanAll();
  assert.equal(seen.file, join(other, "b.md"));
  await Deno.remove(root, { recursive: true });
});
