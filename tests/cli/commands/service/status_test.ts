import assert from "node:assert/strict";
import type { Diagnostic } from "../../../../base/diagnostics.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("status of a service that was started before an update tells what that says", async () => {
  await using cli = await createFakeCli();
  const { connect } = cli.app;
  cli.app.connect = (places) => {
    const client = connect(places);
    const info = client.info.bind(client);
    client.info = async (options) => {
      const { storage: _storage, ...older } = await info(options);
      return older;
    };
    return client;
  };
  assert.equal(await cli.run("status", "-v"), 0);
  assert.doesNotMatch(cli.stdout.text, /Database|undefined/);
});

Deno.test("status counts the agent files with errors, also those whose last good definition goes on", async () => {
  const problem = (severity: Diagnostic["severity"]): Diagnostic => (
    { path: "agents/x.md", line: 1, column: 1, severity, message: "Wrong" }
  );
  const broken = { id: "bad", path: "agents/bad.md", diagnostics: [problem("error")] };
  for (
    const [files, isLive, count] of [[[broken], true, 2], [[], true, 1], [[], false, 0]] as const
  ) {
    await using cli = await createFakeCli();
    cli.runtime.broken = [...files];
    cli.runtime.addAgent(fakeAgent("odd", { warnings: [problem("warning")] }));
    if (isLive) {
      const warnings = [problem("warning"), problem("error"), problem("error")];
      cli.runtime.addAgent(fakeAgent("daily", { warnings }));
    }
    assert.equal(await cli.run("status"), 0);
    assert.equal(
      cli.stderr.text,
      count === 0
        ? ""
        : `Warning: Agent files with errors: ${count}. "inkling validate" shows what is wrong\n`,
    );
  }
});
