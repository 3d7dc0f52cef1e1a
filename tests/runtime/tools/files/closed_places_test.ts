import assert from "node:assert/strict";
import fc from "fast-check";
import { ClosedPlaces } from "../../../../runtime/tools/files/closed_places.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

const FOLDERS = {
  agentsDir: "/work/agents",
  configDir: "/home/me/config",
  stateDir: "/work/state",
};

Deno.test("ClosedPlaces closes the service's folders with all below them, and nothing beside them", () => {
  const closed = new ClosedPlaces(FOLDERS);
  assert.equal(closed.refusal("/work/agents"), "the agents folder is closed to agents");
  assert.equal(closed.refusal("/work/agents/a/b"), "the agents folder is closed to agents");
  assert.match(closed.refusal("/home/me/config/x") ?? "", /^the configuration folder/);
  assert.match(closed.refusal("/work/state/x") ?? "", /^the service's state folder/);
  for (const open of ["/work", "/work/agents2", "/work/agents.md", "/work/x/agents", "/"]) {
    assert.equal(closed.refusal(open), undefined, open);
  }
});

Deno.test("ClosedPlaces lets a sandbox into the agents folder that itself lies in it", () => {
  const closed = new ClosedPlaces({ ...FOLDERS, agentsDir: null });
  assert.equal(closed.refusal("/work/agents/a.md"), undefined);
  assert.notEqual(closed.refusal("/work/state/a"), undefined);
});

Deno.test("ClosedPlaces closes environment files wherever they stand, whatever the case", () => {
  const closed = new ClosedPlaces(FOLDERS);
  const name = fc.constantFrom(".env", ".ENV", ".env.local", ".env~");
  const folders = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 4 });
  fc.assert(fc.property(folders, name, folders, (above, env, below) => {
    const path = `/${[...above, env, ...below].join("/")}`;
    assert.match(closed.refusal(path) ?? "", /are closed to agents$|is closed to agents$/);
  }));
  assert.equal(closed.refusal("/work/environment"), undefined);
});

Deno.test("ClosedPlaces closes a folder under its real path, too, once it has been looked at", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real`);
    await Deno.symlink(`${dir}/real`, `${dir}/state`);
    const closed = new ClosedPlaces({ ...FOLDERS, stateDir: `${dir}/state` });
    assert.equal(closed.refusal(`${dir}/real/x`), undefined);
    closed.settle();
    for (const path of [`${dir}/real/x`, `${dir}/state/x`]) {
      assert.notEqual(closed.refusal(path), undefined, path);
    }
  });
});
