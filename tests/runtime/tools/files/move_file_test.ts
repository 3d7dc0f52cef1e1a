// Tests moves from one file system to another.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileMove } from "../../../../runtime/tools/builtin/file_move.ts";
import { mount, unlessMountable, unmount } from "../../../support/machine/mount.ts";
import { call, failureOf, namesIn, SandboxFixture, testContext } from "./sandbox_fixture.ts";

Deno.test({
  name: "file_move moves a file to another file system with its mode",
  ignore: unlessMountable() !== undefined,
  async fn() {
    await using fixture = await SandboxFixture.open();
    const far = await Deno.realPath(await Deno.makeTempDir());
    assert.ok(mount(far, "size=4m"));
    try {
      const context = testContext(fixture.sandbox([
        { alias: "near", path: fixture.workspace },
        { alias: "far", path: far },
      ]));
      // The content is longer than one copied chunk.
      const content = "A long line of text.\n".repeat(30_000);
      await fixture.write("a.md", content);
      await Deno.chmod(join(fixture.workspace, "a.md"), 0o640);
      await fixture.write("b.md", "b");
      const move = (source: string, destination: string) =>
        call(fileMove, { source, destination }, context);
      await move("a.md", join(far, "deep/a.md"));
      assert.equal(await Deno.readTextFile(join(far, "deep/a.md")), content);
      assert.equal(((await Deno.stat(join(far, "deep/a.md"))).mode ?? 0) & 0o777, 0o640);
      assert.match(await failureOf(move("b.md", join(far, "deep/a.md"))), /it exists already/);
      assert.equal(await Deno.readTextFile(join(far, "deep/a.md")), content);
      assert.equal(await fixture.read("b.md"), "b");
      await move(join(far, "deep/a.md"), "back.md");
      assert.equal(await fixture.read("back.md"), content);
      assert.deepEqual(await namesIn(join(far, "deep")), []);
      const found = (await namesIn(fixture.workspace)).filter((name) => name !== ".env");
      assert.deepEqual(found, ["agents", "b.md", "back.md", "notes"]);
    } finally {
      unmount(far);
      await Deno.remove(far, { recursive: true });
    }
  },
});
