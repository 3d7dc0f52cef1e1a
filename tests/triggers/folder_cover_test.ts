import assert from "node:assert/strict";
import fc from "fast-check";
import { FolderCover, isCovered, isSameFolder } from "../../runtime/triggers/watch_cover.ts";

const folder = fc.record({
  folder: fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }).map((parts) =>
    `/${parts.join("/")}`
  ),
  recursive: fc.boolean(),
});

Deno.test("FolderCover.covering() finds a folder that covers another one exactly where there is one", () => {
  fc.assert(fc.property(fc.array(folder, { maxLength: 12 }), folder, (folders, asked) => {
    const found = new FolderCover(folders).covering(asked);
    assert.equal(found !== undefined, folders.some((by) => isCovered(asked, by)));
    if (found !== undefined) assert.ok(isCovered(asked, found));
  }));
});

Deno.test("FolderCover.has() knows a folder only as it was added", () => {
  fc.assert(fc.property(fc.array(folder, { maxLength: 12 }), folder, (folders, asked) => {
    const isThere = folders.some((one) => isSameFolder(one, asked));
    assert.equal(new FolderCover(folders).has(asked), isThere);
  }));
});
