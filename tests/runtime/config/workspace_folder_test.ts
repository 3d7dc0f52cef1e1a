import assert from "node:assert/strict";
import { findMissingWorkspace } from "../../../runtime/config/workspace_folder.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("findMissingWorkspace() returns the path of a missing workspace", () =>
  withTempDir(async (home) => {
    await Deno.mkdir(`${home}/notes`);
    await Deno.writeTextFile(`${home}/file`, "");
    await Deno.symlink(`${home}/notes`, `${home}/link`);
    const look = (workspace: string) => findMissingWorkspace(workspace, { home });
    for (const there of [`${home}/notes`, "~/notes", "~", `${home}/link`]) {
      assert.equal(await look(there), undefined, there);
    }
    assert.equal(await look("~/none"), `${home}/none`);
    assert.equal(await look("~/file"), `${home}/file`);
    assert.equal(await look("~/file/below"), `${home}/file/below`);
    assert.equal(await look("no/such/folder"), `${Deno.cwd()}/no/such/folder`);
  }));
