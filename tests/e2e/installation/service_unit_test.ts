// `inkling service` with the real program: a stand-in for systemd starts the command of the installed unit.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createStandInManagers } from "../../support/machine/stand_in_managers.ts";
import { programCommand } from "../../support/program.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { createRealHome } from "../real_process.ts";
import { freePort } from "../../support/machine/free_port.ts";

const KEY = "sesame-0123456789-sesame";

Deno.test("service install starts the unit's service on the port of config.yaml; uninstall stops it", async () => {
  await using folder = await createTempDir();
  const managers = createStandInManagers(folder.path);
  managers.set("real");
  const port = freePort();
  const path = `${managers.bin}:${Deno.env.get("PATH")}`;
  await using home = await createRealHome({
    // The program gets all permissions: with narrow flags `list` and `doctor` may not read the folders of units.
    command: programCommand(),
    shell: { PATH: path, USER: "me", INKLING_API_KEY: "" },
  });
  await home.writeAgent(
    "hourly",
    '---\nmodel: { provider: ollama, name: echo }\nauto_approve: "*"\n' +
      "trigger: { type: schedule, every: 1h }\n---\nSay it.\n",
  );
  await Deno.writeTextFile(
    join(home.configDir, "config.yaml"),
    `workspace: ${home.workspace}\nservice: { port: ${port} }\n`,
  );
  const keyFile = join(home.configDir, ".env");
  await Deno.writeTextFile(keyFile, `INKLING_API_KEY=${KEY}\n`);
  // A service that was started by hand.
  await home.succeed("start", "-d");
  using client = home.client();
  const first = await client.info();
  assert.equal(first.service_manager, null);

  const { stdout } = await home.succeed("service", "install");
  const info = await client.info();
  assert.notEqual(info.pid, first.pid);
  assert.equal(info.service_manager, "systemd");
  assert.ok(info.keep_alive && info.transports.includes(`tcp://127.0.0.1:${port}`));
  const line =
    /Unattended: not ready: the service ends when you log out .*; no channel reaches you .*\n/;
  assert.match(stdout, line);
  const unit = await Deno.readTextFile(join(home.root, ".config/systemd/user/inkling.service"));
  assert.ok(!unit.includes(KEY) && !unit.includes(String(port)));
  assert.equal((await Deno.stat(keyFile)).mode! & 0o777, 0o600);
  // Every command prints the same line.
  const [said] = line.exec(stdout) ?? [];
  for (const command of [["list"], ["doctor"], ["service", "status"]]) {
    const { stdout, stderr } = await home.inkling(...command);
    if (command[0] === "service") assert.match(stdout, /active, enabled/);
    else assert.ok(stderr.includes(said ?? "?"), `${command}: ${stdout} ${stderr}`);
  }
  const { stdout: removed } = await home.succeed("service", "uninstall");
  assert.match(removed, /inkling\.service removed, and the service stopped\n$/);
  await assert.rejects(client.info());
});
