import assert from "node:assert/strict";
import { createFakeCli } from "./fake_cli.ts";
import { picturesOf } from "./picture.ts";
import { ask } from "./waiting_execution.ts";

const shows = picturesOf(import.meta.url);

Deno.test("commands reject a --workspace that does not exist, and start nothing", async (t) => {
  const lines = ["run hello", "chat hello", "list", "validate", "info", "permissions", "ui"];
  // The exit code is 1, so that a service manager restarts the foreground service.
  for (const line of [...lines, "start -d", "start --print-unit=systemd", "start"]) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.missingWorkspaces = ["typo"];
    await shows(t, cli, ...line.split(" "), "-w", "typo");
    assert.deepEqual([cli.spawned, cli.served, cli.localOpened], [[], [], 0], line);
  }
});

Deno.test("stop and commands about history work only for workspaces that once existed", async (t) => {
  for (const line of ["status", "stop", "logs hello", "checkpoint", "respond 1 --yes"]) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.missingWorkspaces = ["typo"];
    await shows(t, cli, ...line.split(" "), "-w", "typo");
    await Deno.rename(cli.stateDir, `${cli.stateDir}-away`);
    await shows(t, cli, ...line.split(" "), "-w", "typo");
    await Deno.rename(`${cli.stateDir}-away`, cli.stateDir);
  }
});

Deno.test("pending and respond for a deleted workspace use a running service, but start none", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.missingWorkspaces = ["gone"];
  cli.runtime.addExecution({ agentId: "daily" });
  ask(cli, 1);
  await shows(t, cli, "pending", "-w", "gone");
  await shows(t, cli, "respond", "1", "--yes", "-w", "gone");
  assert.deepEqual([cli.spawned, cli.localOpened], [[], 1]);
  assert.equal(cli.runtime.executions.get(1)?.status, "waiting");

  cli.isRunning = true;
  cli.runtime.requests.delete(1);
  cli.runtime.setStatus(1, "success");
  await shows(t, cli, "respond", "1", "--yes", "-w", "gone");
});

Deno.test("commands that need no workspace accept a --workspace that does not exist", async () => {
  await using cli = await createFakeCli();
  cli.missingWorkspaces = ["typo"];
  for (const command of [["help"], ["completions", "bash"]]) {
    assert.equal(await cli.run(...command, "-w", "typo"), 0, command.join(" "));
  }
  cli.app.missingWorkspace = () => Promise.reject(new TypeError("nobody named a workspace"));
  assert.equal(await cli.run("status"), 0);
});

Deno.test("an empty --workspace is a usage error", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  await shows(t, cli, "-w", "", "run", "hello");
  await shows(t, cli, "validate", "--workspace=");
  await shows(t, cli, "setup", "-w", "");
  assert.deepEqual(cli.spawned, []);
});

Deno.test("the error for an unknown agent names the missing workspace", async (t) => {
  await using cli = await createFakeCli();
  await shows(t, cli, "run", "hello");
  cli.missingWorkspaces = [cli.runtime.directories.workspace];
  await shows(t, cli, "run", "hello");
});
