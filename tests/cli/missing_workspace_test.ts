import assert from "node:assert/strict";
import { createFakeCli } from "./fake_cli.ts";
import { ask } from "./waiting_execution.ts";

const REFUSAL = "Error: There is no folder /absolute/typo to work in. Name another with " +
  '--workspace, or make it: "inkling new" with this --workspace does\n';

Deno.test("a workspace flag that leads to no folder is refused, and nothing is started or checked", async () => {
  const commands = [
    ["run", "hello"],
    ["chat", "hello"],
    ["list"],
    ["validate"],
    ["info"],
    ["permissions"],
    ["ui"],
    ["start", "-d"],
    ["start", "--print-unit=systemd"],
    ["start"],
  ];
  for (const command of commands) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.missingWorkspaces = ["typo"];
    const code = await cli.run(...command, "-w", "typo");
    // A service manager tries one in the foreground again.
    assert.equal(code, command.join() === "start" ? 1 : 2, command.join(" "));
    assert.equal(cli.stderr.text, REFUSAL);
    assert.equal(cli.stdout.text, "");
    assert.deepEqual([cli.spawned, cli.served, cli.localOpened], [[], [], 0]);
  }
});

Deno.test("a workspace that is gone can still be asked about, and stopped; one that never was cannot", async () => {
  for (
    const command of [["status"], ["stop"], ["logs", "hello"], ["checkpoint"], [
      "respond",
      "1",
      "--yes",
    ]]
  ) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.missingWorkspaces = ["typo"];
    await cli.run(...command, "-w", "typo");
    assert.doesNotMatch(cli.stderr.text, /There is no folder/);
    await Deno.rename(cli.stateDir, `${cli.stateDir}-away`);
    cli.stderr.text = "";
    assert.equal(await cli.run(...command, "-w", "typo"), 2, command.join(" "));
    assert.equal(cli.stderr.text, REFUSAL);
    await Deno.rename(`${cli.stateDir}-away`, cli.stateDir);
  }
});

Deno.test("pending of a workspace that is gone reads what waits, and starts nothing", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.missingWorkspaces = ["gone"];
  cli.runtime.addExecution({ agentId: "daily" });
  ask(cli, 1);
  assert.equal(await cli.drive(cli.run("pending", "-w", "gone")), 0);
  assert.match(cli.stdout.text, /\n 1 +daily/);
  assert.equal(cli.stderr.text, "");
  assert.deepEqual([cli.spawned, cli.localOpened], [[], 1]);
});

Deno.test("respond cannot continue a run whose workspace is gone, unless its service still runs", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.missingWorkspaces = ["gone"];
  cli.runtime.addExecution({ agentId: "daily" });
  ask(cli, 1);
  assert.equal(await cli.drive(cli.run("respond", "1", "--yes", "-w", "gone")), 2);
  assert.equal(
    cli.stderr.text,
    "Error: Cannot continue execution 1: its workspace /absolute/gone is gone. " +
      "Move the folder back and answer again\n",
  );
  assert.deepEqual([cli.spawned, cli.localOpened], [[], 0]);
  assert.equal(cli.runtime.executions.get(1)?.status, "waiting");

  cli.isRunning = true;
  cli.runtime.requests.delete(1);
  cli.runtime.setStatus(1, "success");
  assert.equal(await cli.drive(cli.run("respond", "1", "--yes", "-w", "gone")), 1);
  assert.match(cli.stderr.text, /its status is success/);
});

Deno.test("commands that need no workspace do not look for it", async () => {
  await using cli = await createFakeCli();
  cli.missingWorkspaces = ["typo"];
  for (const command of [["help"], ["completions", "bash"]]) {
    assert.equal(await cli.run(...command, "-w", "typo"), 0, command.join(" "));
  }
  cli.app.missingWorkspace = () => Promise.reject(new TypeError("nobody named a workspace"));
  assert.equal(await cli.run("status"), 0);
});

Deno.test("an empty workspace flag is a wrong command line", async () => {
  for (
    const argv of [["-w", "", "run", "hello"], ["validate", "--workspace="], ["setup", "-w", ""]]
  ) {
    await using cli = await createFakeCli({ isRunning: false });
    assert.equal(await cli.run(...argv), 2, argv.join(" "));
    assert.equal(
      cli.stderr.text.split("\n")[0],
      "Error: Option '-w, --workspace <dir>' argument '' is invalid. It must name a folder.",
    );
    assert.deepEqual(cli.spawned, []);
  }
});

Deno.test("an unknown agent of a configured workspace that is not there is told with the reason", async () => {
  await using cli = await createFakeCli();
  const { workspace } = cli.runtime.directories;
  assert.equal(await cli.run("run", "hello"), 2);
  assert.match(cli.stderr.text, /There is no agent "hello"\. /);
  cli.stderr.text = "";
  cli.missingWorkspaces = [workspace];
  assert.equal(await cli.run("run", "hello"), 2);
  const reason = `the workspace ${workspace} does not exist`;
  assert.equal(cli.stderr.text, `Error: There is no agent "hello": ${reason}\n`);
});
