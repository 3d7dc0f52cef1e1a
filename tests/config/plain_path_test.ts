// Paths without node:path: they are those that node:path makes.
import assert from "node:assert/strict";
import { posix } from "node:path";
import fc from "fast-check";
import { PATHS, POSIX_PATHS } from "../../runtime/config/plain_path.ts";

const path = fc.oneof(
  fc.array(fc.constantFrom("", ".", "..", "a", "bc", "...", "é", ".hidden"), { maxLength: 7 })
    .map((parts) => parts.join("/")),
  fc.string({ maxLength: 8 }),
);

Deno.test("POSIX_PATHS joins, resolves and recognises paths as node:path does", () => {
  fc.assert(fc.property(path, fc.array(path, { maxLength: 3 }), (one, more) => {
    assert.equal(POSIX_PATHS.isAbsolute(one), posix.isAbsolute(one));
    assert.equal(POSIX_PATHS.resolve(one), posix.resolve(one));
    assert.equal(POSIX_PATHS.join(one, ...more), posix.join(one, ...more));
  }));
});

Deno.test("PATHS are those of the system", () => {
  assert.equal(PATHS.join("a", "..", "b"), "b");
  assert.equal(PATHS === POSIX_PATHS, Deno.build.os !== "windows");
});
