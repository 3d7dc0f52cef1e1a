import assert from "node:assert/strict";
import type { Diagnostic } from "../../../../base/diagnostics.ts";
import { node } from "../../../runtime/executions/nodes/fake_nodes.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";

function addAgents(cli: FakeCli): void {
  const { runtime, clock } = cli;
  const lastExecution = runtime.addExecution({
    status: "success",
    startedAt: clock.now() - 5 * 60_000,
  });
  runtime.addAgent(fakeAgent("daily", { displayName: "日報 🚀" }), { lastExecution });
  runtime.addAgent(fakeAgent("nightly backup", {
    enabled: false,
    trigger: { type: "schedule", cron: "0 3 * * *", catchUp: "none" },
  }));
  runtime.addAgent(fakeAgent("watcher", {
    trigger: {
      type: "watch",
      paths: ["inbox/", "outbox/"],
      filters: { include: [], exclude: [] },
      debounceMs: 500,
      maxRuns: 200,
      catchUp: "none",
    },
  }));
}

function problem(severity: Diagnostic["severity"], message: string): Diagnostic {
  return { path: "agents/x.md", line: 3, column: 7, severity, message };
}

Deno.test("list says that nothing fires while no service runs, where something would", async () => {
  for (const hasWatcher of [true, false]) {
    await using cli = await createFakeCli({ isRunning: false });
    if (hasWatcher) addAgents(cli);
    else cli.runtime.addAgent(fakeAgent("daily"));
    assert.equal(await cli.run("list"), 0);
    assert.deepEqual([cli.localOpened, cli.spawned], [1, []]);
    assert.equal(
      cli.stderr.text,
      hasWatcher
        ? 'The service is not running: nothing fires by itself before "inkling start -d"\n'
        : "",
    );
  }
});

Deno.test("list says which run waits for a node, and for what; and nothing of a service that another node has", async () => {
  await using cli = await createFakeCli();
  addAgents(cli);
  const lastExecution = cli.runtime.addExecution({ waitsForLabels: ["gpu", "linux"] });
  cli.runtime.addAgent(fakeAgent("trainer"), { lastExecution });
  assert.equal(await cli.run("list"), 0);
  assert.equal(
    cli.stderr.text,
    "Warning: Execution 2 of trainer waits for a node with the labels gpu, linux\n",
  );
  cli.isRunning = false;
  cli.runtime.storage = { kind: "postgres", place: "postgres://db/inkling" };
  cli.runtime.nodes.push(node({ isAlive: false }));
  assert.equal(await cli.run("list"), 0);
  assert.match(cli.stderr.text, /The service is not running/);
  cli.stderr.text = "";
  cli.runtime.nodes.push(node());
  assert.equal(await cli.run("list"), 0);
  assert.doesNotMatch(cli.stderr.text, /The service is not running/);
});

Deno.test("list tells broken files and warnings on standard error, a line each", async () => {
  await using cli = await createFakeCli();
  cli.runtime.broken = [{
    id: "bad",
    path: "agents/x.md",
    diagnostics: [problem("warning", "Odd"), problem("error", "Wrong"), problem("error", "Too")],
  }];
  cli.runtime.addAgent(fakeAgent("odd", { warnings: [problem("warning", "Unknown\nkey")] }));
  assert.equal(await cli.run("list"), 0);
  assert.equal(
    cli.stderr.text,
    "Error: agents/x.md:3:7: Wrong (and 2 more: inkling validate)\n" +
      "Warning: agents/x.md:3:7: Unknown key\n",
  );
  cli.stderr.text = "";
  assert.equal(await cli.run("list", "--quiet"), 0);
  assert.doesNotMatch(cli.stderr.text, /Warning/);
});

Deno.test("list -q tells of a file that broke while its last good definition goes on", async () => {
  await using cli = await createFakeCli();
  // So does the registry say it: among the warnings of the agent that is live.
  const warnings = [problem("warning", "Odd"), problem("error", "Broken YAML")];
  cli.runtime.addAgent(fakeAgent("daily", { warnings }));
  cli.runtime.addAgent(fakeAgent("odd", { warnings: [problem("warning", "Odd")] }));
  assert.equal(await cli.run("list", "-q"), 0);
  assert.equal(cli.stderr.text, "Error: agents/x.md:3:7: Broken YAML\n");
});

Deno.test("list tells of a configured workspace that is not there", async () => {
  await using cli = await createFakeCli();
  cli.missingWorkspaces = [cli.report.workspace];
  assert.equal(await cli.run("list"), 0);
  assert.equal(
    cli.stdout.text,
    "The workspace /home/me/inkling does not exist: make the folder, or name another in " +
      "/home/me/.config/inkling/config.yaml\n",
  );
  cli.report = { ...cli.report, configFileExists: false };
  cli.stdout.text = "";
  assert.equal(await cli.run("list"), 0);
  assert.match(cli.stdout.text, /^There are no agents in /);
});

Deno.test("list tells how the last run came out, and what share of a day's runs succeeded", async () => {
  await using cli = await createFakeCli();
  const { runtime, clock } = cli;
  const run = (agentId: string, status: "success" | "error") =>
    runtime.addExecution({ agentId, status, startedAt: clock.now() });
  run("good", "error");
  run("good", "success");
  runtime.addAgent(fakeAgent("bad"), { lastExecution: run("bad", "error") });
  runtime.addAgent(fakeAgent("good"), { lastExecution: run("good", "success") });
  runtime.addAgent(fakeAgent("new"));
  await clock.advance(300_000);
  assert.equal(await cli.run("list"), 0);
  const { text } = cli.stdout;
  assert.match(text, /\nbad .* error 5 min ago +0 % +enabled/);
  assert.match(text, /\ngood .* 5 min ago +66 % +enabled/);
  assert.match(text, /\nnew .* never +- +enabled/);
});
