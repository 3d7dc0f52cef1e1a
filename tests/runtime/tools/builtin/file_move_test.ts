// file_move: where it moves to, and that it never overwrites.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileMove } from "../../../../runtime/tools/builtin/file_move.ts";
import { call, failureOf, namesIn, testInWorkspace as test } from "../files/sandbox_fixture.ts";

test("file_move renames, makes folders, and never overwrites", async (fixture, context) => {
  await fixture.write("a.md", "a");
  await fixture.write("b.md", "b");
  await Deno.symlink("b.md", join(fixture.workspace, "link.md"));
  const failure = (source: string, destination: string) =>
    failureOf(call(fileMove, { source, destination }, context));
  const message = await failure("a.md", "b.md");
  assert.equal(message, 'Cannot move to "b.md": it exists already, and moving never overwrites.');
  const sentence = await failure("a.md", "notes");
  assert.equal(sentence, 'Cannot move to "notes": it is a folder. Name the file in it, too.');
  assert.match(await failure("a.md", "a.md"), /exists already/);
  assert.match(await failure("notes", "n2"), /it is a folder/);
  assert.match(await failure("link.md", "l2.md"), /it is a symbolic link; only files can be moved/);
  assert.equal(await failure("no.md", "x.md"), 'Cannot move "no.md": it does not exist.');
  assert.match(await failure("a.md", "../outside/a.md"), /outside the allowed paths/);
  assert.match(await failure("a.md", "agents/a.md"), /the agents folder is closed/);
  const text = await call(fileMove, { source: "a.md", destination: "new/deep/c.md" }, context);
  assert.equal(text, "Moved a.md to new/deep/c.md");
  assert.equal(await fixture.read("new/deep/c.md"), "a");
  assert.equal(await fixture.read("b.md"), "b");
  const expected = [".env", "agents", "b.md", "link.md", "new", "notes"];
  assert.deepEqual(await namesIn(fixture.workspace), expected);
});

test(
  "file_move lets exactly one of several moves to the same name succeed",
  async (fixture, context) => {
    for (let i = 0; i < 8; i++) await fixture.write(`${i}.md`, `${i}`);
    const outcomes = await Promise.allSettled(
      Array.from(
        { length: 8 },
        (_, i) => call(fileMove, { source: `${i}.md`, destination: "one.md" }, context),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const left = (await namesIn(fixture.workspace)).filter((name) => /^\d\.md$/.test(name));
    assert.equal(left.length, 7);
    assert.ok(!left.includes(`${await fixture.read("one.md")}.md`));
  },
);
