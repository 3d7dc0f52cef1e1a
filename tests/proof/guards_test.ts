import assert from "node:assert/strict";
import { join } from "node:path";
import { REPOSITORY } from "../support/repository.ts";
import { MUTATIONS } from "../../proof/mutation/guards.ts";

Deno.test("MUTATIONS: each guard stands where it is said to, once, and its tests exist", () => {
  for (const { guard, file, find, tests } of MUTATIONS) {
    const source = Deno.readTextFileSync(join(REPOSITORY, file));
    assert.equal(source.split(find).length, 2, guard);
    for (const path of tests) assert.ok(Deno.statSync(join(REPOSITORY, path)), path);
  }
});
