import assert from "node:assert/strict";
import { node } from "../../../runtime/executions/nodes/fake_nodes.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";

const shows = picturesOf(import.meta.url);

Deno.test("list notes that no trigger fires while no node runs a service", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  const trigger = { type: "schedule", cron: "0 3 * * *", catchUp: "none" } as const;
  cli.runtime.addAgent(fakeAgent("nightly", { trigger }));
  cli.runtime.storage = { kind: "postgres", place: "postgres://db/inkling" };
  for (const isAlive of [false, true]) {
    cli.runtime.nodes.push(node({ isAlive }));
    await shows(t, cli, "list");
    assert.deepEqual(cli.spawned, []);
  }
});

Deno.test("list names what is missing for unattended runs, except for agents with a scripted model", async () => {
  await using cli = await createFakeCli();
  const trigger = { type: "schedule", cron: "0 3 * * *", catchUp: "none" } as const;
  cli.runtime.addAgent(
    fakeAgent("trial", { trigger, model: { provider: "demo", name: "echo", streamUsage: true } }),
  );
  assert.equal(await cli.run("list"), 0);
  assert.doesNotMatch(cli.stderr.text, /Unattended/);
  cli.runtime.addAgent(
    fakeAgent("nightly", {
      trigger,
      model: { provider: "openai", name: "gpt-5", streamUsage: true },
    }),
  );
  assert.equal(await cli.run("list"), 0);
  assert.match(cli.stderr.text, /Unattended: not ready: no unit .*; no channel reaches you/);
});

Deno.test("list reports that the configured workspace does not exist", async (t) => {
  await using cli = await createFakeCli();
  cli.missingWorkspaces = [cli.report.workspace];
  await shows(t, cli, "list");
  cli.report = { ...cli.report, configFileExists: false };
  await shows(t, cli, "list");
});

Deno.test("list shows the last run's status and the share of successful runs of a day", async (t) => {
  await using cli = await createFakeCli();
  const { runtime, clock } = cli;
  const run = (agentId: string, status: "success" | "error") =>
    runtime.addExecution({ agentId, status, startedAt: clock.now() });
  run("good", "error");
  run("good", "success");
  runtime.addAgent(fakeAgent("bad"), { lastExecution: run("bad", "error") });
  runtime.addAgent(fakeAgent("good"), { lastExecution: run("good", "success") });
  await clock.advance(300_000);
  await shows(t, cli, "list");
});
