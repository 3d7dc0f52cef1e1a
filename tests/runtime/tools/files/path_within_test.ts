import assert from "node:assert/strict";
import { isWithin } from "../../../../runtime/tools/files/path_within.ts";

Deno.test("isWithin() takes the folder itself and all below it, and no name that merely begins alike", () => {
  for (const path of ["/a/b", "/a/b/", "/a/b/c", "/a/b/c/d", "/a/b/..c", "/a/b/x/../c"]) {
    assert.ok(isWithin(path, "/a/b"), path);
  }
  for (const path of ["/a", "/", "/a/bc", "/a/b/..", "/a/b/../c", "/a/B/c/../../c"]) {
    assert.ok(!isWithin(path, "/a/b"), path);
  }
  assert.ok(isWithin("/a", "/"));
});
