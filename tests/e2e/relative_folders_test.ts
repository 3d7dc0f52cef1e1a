// Folders that the environment names relative to the current directory: the service in the background starts elsewhere.
import assert from "node:assert/strict";
import { programCommand } from "../support/program.ts";
import { readUnit } from "../cli/service/units/unit_reader.ts";
import { createRealHome } from "./real_process.ts";

Deno.test("start -d and start --print-unit take relative variables as the folders that they name from here", async () => {
  await using home = await createRealHome({
    // Flags are derived in the test's process, whose current directory is another.
    command: programCommand(),
    shell: { INKLING_CONFIG_DIR: "config", INKLING_STATE_DIR: "./state" },
  });
  const printed = await home.succeed("start", "--print-unit=systemd");
  const variables = readUnit(printed.stdout).words("Service", "Environment");
  assert.ok(variables.includes(`INKLING_CONFIG_DIR=${home.configDir}`), printed.stdout);
  assert.ok(variables.includes(`INKLING_STATE_DIR=${home.stateDir}`), printed.stdout);
  await home.succeed("start", "-d");
  using client = home.client();
  const { workspace, state_dir: stateDir } = await client.info();
  assert.deepEqual([workspace, stateDir], [home.workspace, home.stateDir]);
});
