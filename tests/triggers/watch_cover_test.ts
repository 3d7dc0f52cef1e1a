import assert from "node:assert/strict";
import fc from "fast-check";
import { coverOf, isCovered, type WatchedFolder } from "../../runtime/triggers/watch_cover.ts";

const folders = fc.array(
  fc.record({
    folder: fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }).map((parts) =>
      `/${parts.join("/")}`
    ),
    recursive: fc.boolean(),
  }),
  { maxLength: 12 },
);

Deno.test("coverOf() leaves out folders inside of others", () => {
  const all = (...paths: string[]): WatchedFolder[] =>
    paths.map((folder) => ({ folder, recursive: true }));
  assert.deepEqual(coverOf(all("/a/b", "/a", "/ab", "/a/c/d")), all("/a", "/ab"));
  assert.deepEqual(
    coverOf([{ folder: "/a", recursive: false }, ...all("/a/b")]),
    [...all("/a/b"), { folder: "/a", recursive: false }],
  );
});

Deno.test("coverOf() covers all that is asked for, and nothing twice", () => {
  fc.assert(fc.property(folders, (wanted) => {
    const cover = coverOf(wanted);
    for (const one of wanted) assert.ok(cover.some((by) => isCovered(one, by)));
    for (const one of cover) {
      assert.equal(cover.filter((by) => isCovered(one, by)).length, 1);
      assert.ok(wanted.some((by) => by.folder === one.folder && by.recursive === one.recursive));
    }
  }));
});
