import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("audit reports an unknown agent instead of an empty list", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  assert.equal(await cli.run("audit", "daly"), 2);
  assert.match(cli.stderr.text, /There is no agent "daly"\. Did you mean "daily"\?/);
  assert.equal(await cli.run("audit", "daily"), 0);
  assert.match(cli.stdout.text, /No change is recorded that matches/);
});
