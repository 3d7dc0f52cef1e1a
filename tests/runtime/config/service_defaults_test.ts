import assert from "node:assert/strict";
import { join } from "node:path";
import { diagnoseService, readServiceDefaults } from "../../../runtime/config/service_defaults.ts";
import { loadSettings } from "../../../runtime/config/settings.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

Deno.test("readServiceDefaults() reads the key from the shell, then .env, then service.env", async () => {
  const line = (value: string) => `INKLING_API_KEY=${value}\n`;
  const missing =
    "service.port needs a key, and INKLING_API_KEY is not set: the service does not start";
  const misplaced = "INKLING_API_KEY is in a file that only an installed unit reads";
  const table: [
    shell: string,
    env: string,
    former: string,
    key: string | undefined,
    told: string[],
  ][] = [
    ["s", line("e"), line("f"), "s", []],
    ["", line("e"), line("f"), "e", []],
    ["", line(""), line("f"), "f", [misplaced]],
    ["", "", "", undefined, [missing]],
  ];
  for (const [shell, env, former, key, told] of table) {
    await using place = await createTestWorkspace({
      config: "service: { port: 8420 }\n",
      shell: { INKLING_API_KEY: shell },
    });
    await Deno.writeTextFile(join(place.configDir, ".env"), env);
    await Deno.writeTextFile(join(place.configDir, "service.env"), former);
    const settings = await place.settings();
    assert.equal(readServiceDefaults(settings).key, key);
    const found = diagnoseService(settings);
    assert.deepEqual(found.map(({ message }) => message), told);
    for (const { hint } of found) assert.ok(hint?.endsWith(join(place.configDir, ".env")));
  }
});

Deno.test("readServiceDefaults() returns a port only for the workspace of config.yaml", async () => {
  await using place = await createTestWorkspace();
  const service = "service: { port: 8420, host: '::1', keep_alive: true }";
  await place.configure(`${service}\n`);
  const { shell, root: home } = place;
  for (const [workspace, port] of [[place.workspace, 8420], [join(home, "other"), null]] as const) {
    const found = readServiceDefaults(await loadSettings({ shell, home, workspace }));
    assert.deepEqual([found.port, found.host, found.keepAlive], [port, "::1", true]);
  }
});
