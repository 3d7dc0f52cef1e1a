// How paths are read from the model and shown to it.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { isDatabaseName } from "../../../../base/files/database_name.ts";
import { isEnvFileName } from "../../../../base/files/env_file_name.ts";
import { PathNotation } from "../../../../runtime/tools/files/path_notation.ts";
import { SandboxPlace } from "../../../../runtime/tools/files/sandbox_place.ts";
import { ToolFailure } from "../../../../runtime/tools/tool_failure.ts";
import { SandboxFixture } from "./sandbox_fixture.ts";

const NOTES = { alias: "notes", place: new SandboxPlace("/work/space/notes") };
const WATCHED = { alias: null, place: new SandboxPlace("/watched") };
const notation = new PathNotation({
  workspace: "/work/space",
  home: "/home/me",
  places: [NOTES, WATCHED],
});

Deno.test("PathNotation.expand() reads aliases, ~, absolute and relative paths, and asks the disk nothing", () => {
  const paths: Record<string, string> = {
    "a.md": "/work/space/a.md",
    "./b/../a.md": "/work/space/a.md",
    "../a.md": "/work/a.md",
    "/etc/hosts": "/etc/hosts",
    "~": "/home/me",
    "~/a.md": "/home/me/a.md",
    "~me/a.md": "/work/space/~me/a.md",
    "{workspace}": "/work/space",
    "{workspace}/a.md": "/work/space/a.md",
    "{notes}/../a.md": "/work/space/a.md",
    "{notes}x": "/work/space/{notes}x",
    "./{notes}": "/work/space/{notes}",
  };
  for (const [text, path] of Object.entries(paths)) {
    assert.equal(notation.expand(text).replace(/\/$/, ""), path, text);
  }
});

Deno.test("PathNotation.expand() names the aliases that there are", () => {
  assert.throws(
    () => notation.expand("{nots}/a"),
    new ToolFailure(
      "Unknown path alias {nots}. Known are: {notes}, {workspace}. " +
        'A file that really has this name is written "./{nots}".',
    ),
  );
});

Deno.test("PathNotation.display() gives a path that resolves to the same place", async () => {
  await using fixture = await SandboxFixture.open();
  const sandbox = fixture.sandbox([
    { alias: "workspace_all", path: fixture.workspace },
    { alias: "notes", path: join(fixture.workspace, "notes") },
    { alias: "far", path: fixture.outside },
  ]);
  const plain = fixture.sandbox();
  const name = fc.stringMatching(/^[{~a-z}. ]{1,6}$/).filter((text) =>
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
    { numRuns: 200 },
  );
  assert.equal(plain.notation.display(fixture.outside), fixture.outside);
  assert.equal(plain.notation.display(fixture.workspace), ".");
});

Deno.test("PathNotation.list() names places by their aliases, others by their paths", () => {
  assert.equal(notation.list([NOTES, WATCHED]), "{notes}, /watched");
});
