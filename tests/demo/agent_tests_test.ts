// Tests that the demo's agents pass their own tests, which are an example for readers.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome } from "../e2e/real_process.ts";
import { programCommand } from "../support/program.ts";
import { REPOSITORY } from "../support/repository.ts";

Deno.test("the demo's agents pass their tests", async () => {
  await using home = await createRealHome({ command: programCommand() });
  const { code, stdout, stderr } = await home.inkling(
    "test",
    "--workspace",
    join(REPOSITORY, "demo/workspace"),
  );
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /\n5 passed, 0 failed\n$/);
});
