import assert from "node:assert/strict";
import { isSetUp } from "../../../runtime/config/first_use.ts";
import { withTempDir } from "../../support/temp_dir.ts";

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
