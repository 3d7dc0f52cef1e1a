// Tests of the comparison of versions.
import assert from "node:assert/strict";
import { compareVersions, isVersion } from "../../../cli/update/version.ts";

Deno.test("compareVersions() orders versions like semver.org", () => {
  const early = "0.1.0-alpha 0.1.0-alpha.1 0.1.0-alpha.beta 0.1.0-beta 0.1.0-beta.2 0.1.0-beta.11";
  const late = "0.1.0-rc.1 0.1.0 0.1.1 0.2.0 0.10.0 1.0.0 10.0.0";
  const ordered = ["0.0.9", ...early.split(" "), ...late.split(" ")];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      assert.equal(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${a} and ${b}`);
    }
  }
  assert.equal(compareVersions("1.0.0+a", "1.0.0+b"), 0);
});

Deno.test("isVersion() rejects text around a version", () => {
  for (const good of ["0.1.0", "1.2.3-rc.1", "1.2.3+build.5"]) assert.ok(isVersion(good), good);
  const bad = ["", "1", "1.2", "v1.2.3", "1.2.3 ", "1.2.3\n", "1.2.3;rm", "-g", "latest", "1.2.x"];
  for (const text of bad) assert.ok(!isVersion(text), text);
});
