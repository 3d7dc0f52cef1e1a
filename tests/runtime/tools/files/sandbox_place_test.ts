import assert from "node:assert/strict";
import { join } from "node:path";
import { SandboxPlace } from "../../../../runtime/tools/files/sandbox_place.ts";
import { SandboxFixture } from "./sandbox_fixture.ts";

Deno.test("SandboxPlace.settle() follows a place until it was seen to exist, and never again", async () => {
  await using fixture = await SandboxFixture.open();
  const path = join(fixture.workspace, "later");
  const place = new SandboxPlace(path);
  place.settle();
  assert.equal(place.real, path);
  await Deno.symlink("nowhere", path);
  place.settle();
  assert.equal(place.real, path);
  await Deno.remove(path);
  await Deno.symlink("notes", path);
  place.settle();
  assert.equal(place.real, join(fixture.workspace, "notes"));
  await Deno.remove(path);
  await Deno.symlink(fixture.outside, path);
  place.settle();
  assert.equal(place.real, join(fixture.workspace, "notes"));
  assert.equal(place.path, path);
});
