import assert from "node:assert/strict";
import type { Diagnostic } from "../../../../base/diagnostics.ts";
import { takeLock } from "../../../../base/files/lock_file.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";

const shows = picturesOf(import.meta.url);

Deno.test("status supports the responses of an older service", async (t) => {
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
  await shows(t, cli, "status", "-v");
});

Deno.test("status counts the agent files with errors, also files with a last good definition", async (t) => {
  const problem = (severity: Diagnostic["severity"]): Diagnostic => (
    { path: "agents/x.md", line: 1, column: 1, severity, message: "Wrong" }
  );
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("odd", { warnings: [problem("warning")] }));
  await shows(t, cli, "status");
  const warnings = [problem("warning"), problem("error"), problem("error")];
  cli.runtime.addAgent(fakeAgent("daily", { warnings }));
  await shows(t, cli, "status");
  cli.runtime.broken = [{ id: "bad", path: "agents/bad.md", diagnostics: [problem("error")] }];
  await shows(t, cli, "status");
});

Deno.test("status waits for a service that is starting", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { lockFile, pidFile } = await cli.app.places();
  using _lock = takeLock(lockFile);
  await Deno.writeTextFile(pidFile, "4711\n");
  void cli.clock.sleep(3_000).then(() => cli.isRunning = true);
  assert.equal(await cli.drive(cli.run("status")), 0, cli.stderr.text);
  assert.match(cli.stdout.text, /^Inkling is running\n/);
});
