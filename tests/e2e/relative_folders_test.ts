// Tests of relative folders in the environment, because the background service starts in another directory.
import assert from "node:assert/strict";
import { programCommand } from "../support/program.ts";
import { readUnit } from "../cli/service/units/unit_reader.ts";
import { createRealHome } from "./real_process.ts";

Deno.test("start -d and start --print-unit resolve relative variables from the current directory", async () => {
  await using home = await createRealHome({
    // The program runs with all permissions, because this process would derive the flags from another current directory.
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
