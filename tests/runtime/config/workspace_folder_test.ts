import assert from "node:assert/strict";
import { findMissingWorkspace, isSetUp } from "../../../runtime/config/workspace_folder.ts";
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

Deno.test("isSetUp() checks for config.yaml, or an agents folder in the workspace", () =>
  withTempDir(async (home) => {
    const look = (workspace?: string) =>
      isSetUp({ env: () => undefined, home, ...(workspace !== undefined && { workspace }) });
    assert.equal(await look(), false);
    await Deno.mkdir(`${home}/other/agents`, { recursive: true });
    assert.deepEqual([await look(), await look("~/other")], [false, true]);
    await Deno.mkdir(`${home}/inkling/agents`, { recursive: true });
    assert.equal(await look(), true);
    assert.equal(await look("~/none"), false);
    await Deno.mkdir(`${home}/.config/inkling`, { recursive: true });
    await Deno.writeTextFile(`${home}/.config/inkling/config.yaml`, "");
    assert.equal(await look("~/none"), true);
  }));
