// Folders that the environment names relative to the current directory: the service in the background starts elsewhere.
import assert from "node:assert/strict";
import { programCommand } from "../support/program.ts";
import { readUnit } from "../cli/service/units/unit_reader.ts";
import { createRealHome, type RealHome } from "./real_process.ts";

/** A home whose commands run in its root and have its folders by relative names. */
function createRelativeHome(): Promise<RealHome> {
  return createRealHome({
    // Flags are derived in the test's process, whose current directory is another.
    command: programCommand(),
    shell: { INKLING_CONFIG_DIR: "config", INKLING_STATE_DIR: "./state" },
  });
}

Deno.test("start -d serves the configuration and the state that relative variables name from here", async () => {
  await using home = await createRelativeHome();
  await home.writeScript("hello", [{ say: "hi" }]);
  await home.succeed("start", "-d");
  using client = home.client();
  const { workspace, state_dir: stateDir } = await client.info();
  assert.deepEqual([workspace, stateDir], [home.workspace, home.stateDir]);
  const { stdout } = await home.succeed("run", "hello", "-q");
  assert.equal(stdout, "hi\n");
});

Deno.test("start --print-unit writes relative folders as absolute ones", async () => {
  await using home = await createRelativeHome();
  const { stdout } = await home.succeed("start", "--print-unit=systemd");
  const unit = readUnit(stdout);
  const variables = unit.words("Service", "Environment");
  assert.ok(variables.includes(`INKLING_CONFIG_DIR=${home.configDir}`), stdout);
  assert.ok(variables.includes(`INKLING_STATE_DIR=${home.stateDir}`), stdout);
});
