import assert from "node:assert/strict";
import { node } from "../../../runtime/executions/nodes/fake_nodes.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("list says that nothing fires while no service runs, unless another node has one", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const trigger = { type: "schedule", cron: "0 3 * * *", catchUp: "none" } as const;
  cli.runtime.addAgent(fakeAgent("nightly", { trigger }));
  cli.runtime.storage = { kind: "postgres", place: "postgres://db/inkling" };
  for (const isAlive of [false, true]) {
    cli.stderr.text = "";
    cli.runtime.nodes.push(node({ isAlive }));
    assert.equal(await cli.run("list"), 0);
    assert.equal(/The service is not running/.test(cli.stderr.text), !isAlive);
    assert.deepEqual(cli.spawned, []);
  }
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
