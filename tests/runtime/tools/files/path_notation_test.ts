// Tests the parsing and formatting of paths for the model.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { isDatabaseName } from "../../../../base/files/database_name.ts";
import { isEnvFileName } from "../../../../base/files/env_file_name.ts";
import { testInWorkspace as test } from "./sandbox_fixture.ts";
import { LETTERS, textOf } from "../../../support/any_text.ts";

test("PathNotation.display() returns a path that expands to the same absolute path", async (fixture) => {
  const sandbox = fixture.sandbox([
    { alias: "workspace_all", path: fixture.workspace },
    { alias: "notes", path: join(fixture.workspace, "notes") },
    { alias: "far", path: fixture.outside },
  ]);
  const plain = fixture.sandbox();
  const name = textOf(`${LETTERS}{~}. `, { minLength: 1, maxLength: 6 }).filter((text) =>
    text.trim() !== "" && text !== "." && text !== ".." &&
    !isEnvFileName(text) && !isDatabaseName(text)
  );
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 3 }), async (names) => {
      for (const start of [fixture.workspace, join(fixture.workspace, "notes"), fixture.outside]) {
        const path = join(start, ...names);
        const shown = sandbox.notation.display(path);
        assert.ok(!shown.startsWith("/"), shown);
        assert.equal((await sandbox.resolve(shown, "read")).path, path, shown);
      }
      const path = join(fixture.workspace, ...names);
      assert.equal((await plain.resolve(plain.notation.display(path), "read")).path, path);
    }),
    { numRuns: 50 },
  );
  assert.equal(plain.notation.display(fixture.outside), fixture.outside);
  assert.equal(plain.notation.display(fixture.workspace), ".");
});
