import assert from "node:assert/strict";
import { formatLocal } from "../../../../cli/output/time.ts";
import type { Diagnostic } from "../../../../base/diagnostics.ts";
import { node } from "../../../runtime/executions/nodes/fake_nodes.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("status lists the nodes that share a database: what each runs, and when it was last heard of", async () => {
  await using cli = await createFakeCli();
  const { runtime } = cli;
  runtime.storage = { kind: "postgres", place: "postgres://inkling@db.example/inkling" };
  const startedAt = cli.clock.now();
  runtime.nodes.push(
    node({ name: "alpha", labels: ["gpu", "linux"], startedAt, silentMs: 2_900, runs: 3 }),
    node({ name: "beta", startedAt, silentMs: 12_400, isThis: true }),
    node({ name: "ga\u001b[31mmma", startedAt, silentMs: 40_000, isAlive: false, runs: 2 }),
    node({ name: "delta", startedAt, silentMs: 250_000, isAlive: false }),
  );
  assert.equal(await cli.run("status"), 0);
  const since = formatLocal(new Date(startedAt).toISOString()).slice(0, -3);
  const [, table] = cli.stdout.text.split("\n\n");
  assert.deepEqual(table?.split("\n"), [
    "Node   Version  Labels      Since             Runs  Last Sign",
    `alpha  1.2.3    gpu, linux  ${since}     3  now`,
    `beta   1.2.3    -           ${since}     0  12 s ago (this node)`,
    `gamma  1.2.3    -           ${since}     2  dead, 40 s ago`,
    `delta  1.2.3    -           ${since}     0  dead, 4 min ago`,
    "",
  ]);
  assert.match(
    cli.stdout.text,
    /^ {2}Database +PostgreSQL: postgres:\/\/inkling@db\.example\/inkling$/m,
  );
  cli.stdout.text = "";
  assert.equal(await cli.run("status", "--json"), 0);
  const { storage, nodes } = JSON.parse(cli.stdout.text);
  assert.equal(storage.kind, "postgres");
  assert.deepEqual(nodes.map(({ this_node }: { this_node: boolean }) => this_node), [
    ...[false, true, false, false],
  ]);
});

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
