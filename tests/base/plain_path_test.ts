// Tests that the path functions return the same as those of node:path.
import assert from "node:assert/strict";
import { posix } from "node:path";
import fc from "fast-check";
import { join, POSIX_PATHS } from "../../base/plain_path.ts";

const path = fc.oneof(
  fc.array(fc.constantFrom("", ".", "..", "a", "bc", "...", "é", ".hidden"), { maxLength: 7 })
    .map((parts) => parts.join("/")),
  fc.string({ maxLength: 8 }),
);

Deno.test("POSIX_PATHS joins, resolves and recognizes paths as node:path does", () => {
  fc.assert(
    fc.property(path, fc.array(path, { maxLength: 3 }), (one, more) => {
      assert.equal(POSIX_PATHS.isAbsolute(one), posix.isAbsolute(one));
      assert.equal(POSIX_PATHS.resolve(one, ...more), posix.resolve(one, ...more));
      assert.equal(POSIX_PATHS.join(one, ...more), posix.join(one, ...more));
      assert.equal(POSIX_PATHS.normalize(one), posix.normalize(one));
    }),
    { numRuns: 500 },
  );
});

Deno.test("POSIX_PATHS splits paths as node:path does", () => {
  fc.assert(
    fc.property(path, path, (one, other) => {
      assert.equal(POSIX_PATHS.basename(one), posix.basename(one));
      assert.equal(POSIX_PATHS.dirname(one), posix.dirname(one));
      assert.equal(POSIX_PATHS.relative(one, other), posix.relative(one, other));
      const [from, to] = [`/${one}`, `/${one}/${other}`];
      assert.equal(POSIX_PATHS.relative(from, to), posix.relative(from, to));
    }),
    { numRuns: 500 },
  );
});

Deno.test("The exported path functions are those of the operating system", () => {
  assert.equal(join("a", "..", "b"), "b");
  assert.equal(join === POSIX_PATHS.join, Deno.build.os !== "windows");
});
