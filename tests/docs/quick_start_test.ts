// Tests that the quick start is true: its commands run in order, in an empty home without a key.
import assert from "node:assert/strict";
import { join } from "node:path";
import { REPOSITORY } from "../support/repository.ts";
import { createNewcomerHome } from "./newcomer_home.ts";

Deno.test("docs/quick-start.md: its commands lead to a report", async () => {
  const page = await Deno.readTextFile(join(REPOSITORY, "docs/quick-start.md"));
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
  assert.ok(blocks.length >= 3, page);
  await using home = await createNewcomerHome();
  const { code, output } = await home.run(`set -ex\n${blocks.join("\n")}`);
  assert.equal(code, 0, output);
  assert.match(await Deno.readTextFile(join(home.path, "inkling/report.md")), /notes\.md/);
  assert.match(output, /Inkling has stopped/);
});
