import assert from "node:assert/strict";
import { join } from "node:path";
import { createSetupWorld } from "../../setup_world.ts";

Deno.test("mcp add shows what a server runs and may reach, asks, and writes its entry", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  const file = join(world.agentsDir, "_config/mcp-servers.json");
  cli.input.answers = [false, true];
  const argv = ["mcp", "add", "clock", "/opt/clock", "--env", "TOKEN", "--", "--utc", "a\u202Eb"];
  assert.equal(await cli.run(...argv), 1);
  assert.match(cli.stderr.text, /Nothing was added/);
  assert.ok(!world.files().some((path) => path.endsWith("mcp-servers.json")));
  assert.equal(await cli.run(...argv), 0);
  assert.deepEqual(cli.input.asked.map(({ message }) => message), [
    "Add the MCP server clock?",
    "Add the MCP server clock?",
  ]);
  const shown = cli.stdout.text.replaceAll(/\s+/g, " ");
  assert.match(shown, /Runs \/opt\/clock --utc a\S*b /);
  assert.ok(!cli.stdout.text.includes("\u202E"));
  assert.match(shown, /From a program of this machine: nothing holds it at a version/);
  assert.match(shown, /May reach what you may reach yourself, unless a sandbox holds it/);
  assert.match(shown, /Gets TOKEN/);
  assert.deepEqual(JSON.parse(await world.read(file)), {
    clock: { command: "/opt/clock", args: ["--utc", "a\u202Eb"], env: { TOKEN: "${TOKEN}" } },
  });
});

Deno.test("mcp add asks nobody where there is no terminal: it adds nothing without --yes", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  const argv = ["mcp", "add", "remote", "https://example.com/mcp", "--token", "TOKEN"];
  assert.equal(await cli.run(...argv), 2);
  assert.match(cli.stderr.text, /this is not a terminal/);
  assert.ok(!world.files().some((path) => path.endsWith("mcp-servers.json")));
  assert.equal(await cli.run(...argv, "-y", "-q"), 0);
  assert.match(cli.stdout.text, /\/mcp-servers\.json\n$/);
  assert.equal(await cli.run(...argv, "-y"), 1);
  assert.match(cli.stderr.text, /There is a server "remote"/);
});
