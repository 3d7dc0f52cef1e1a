import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("fork starts the following agents only with --followers", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.addExecution({ agentId: "daily" });
  for (const flags of [[], ["--followers"]]) {
    assert.equal(await cli.run("fork", "1", "-d", ...flags), 0);
    const { request } = cli.runtime.forks.at(-1) ?? {};
    assert.equal(request?.startsFollowers ?? false, flags.length > 0);
  }
});
