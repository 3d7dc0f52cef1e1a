import assert from "node:assert/strict";
import { findDescriptors } from "../../../base/files/descriptor_link.ts";
import { PrivateWorkspace } from "../../../ops/testing/private_workspace.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

// Without the link, a file tool checks the times of all folders on its path. It refuses a new folder if another program
// changes the system's temporary folder in the same moment, so a case fails on a busy machine.
Deno.test("file tools of a case use the descriptors of folders", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using workspace = await createTestWorkspace();
  await using own = await PrivateWorkspace.open(await workspace.settings(), {});
  assert.notEqual(findDescriptors(own.settings.directories.stateDir), undefined);
});
