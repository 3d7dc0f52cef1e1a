import assert from "node:assert/strict";
import { join } from "node:path";
import { picturesOf } from "../../picture.ts";
import { createSetupWorld } from "../../setup_world.ts";

const shows = picturesOf(import.meta.url);

Deno.test("mcp add shows a server's command and access, asks, and writes its entry", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  const file = join(world.agentsDir, "_config/mcp-servers.json");
  cli.input.answers = [false, true];
  const argv = ["mcp", "add", "clock", "/opt/clock", "--env", "TOKEN", "--", "--utc", "a\u202Eb"];
  assert.equal(await cli.run(...argv), 0);
  assert.equal(
    cli.stderr.text,
    "Warning: There is no program /opt/clock on this machine\nNothing was added\n",
  );
  assert.ok(!world.files().some((path) => path.endsWith("mcp-servers.json")));
  assert.equal(await cli.run(...argv), 0);
  assert.deepEqual(cli.input.asked.map(({ message }) => message), [
    "Add the MCP server clock?",
    "Add the MCP server clock?",
  ]);
  const shown = cli.stdout.text.replaceAll(/\s+/g, " ");
  assert.match(shown, /Command \/opt\/clock --utc a\S*b /);
  assert.ok(!cli.stdout.text.includes("\u202E"));
  assert.match(shown, /Source a program on this machine; its version is not pinned/);
  assert.match(shown, /Access everything that you can access; in a sandbox, only/);
  assert.match(shown, /Variables TOKEN/);
  assert.deepEqual(JSON.parse(await world.read(file)), {
    clock: { command: "/opt/clock", args: ["--utc", "a\u202Eb"], env: { TOKEN: "${TOKEN}" } },
  });
});

Deno.test("mcp list shows each server with its agents, and mcp remove removes one", async (t) => {
  await using world = await createSetupWorld();
  const { cli } = world;
  const file = join(world.agentsDir, "_config/mcp-servers.json");
  for (const name of ["one", "two"]) {
    assert.equal(await cli.run("mcp", "add", name, "/opt/clock", "-y", "--", name), 0);
  }
  await Deno.writeTextFile(
    join(world.agentsDir, "teller.md"),
    "---\nmodel: { provider: demo, name: echo }\nmcp: [one]\n---\nTell.",
  );
  const before = await world.read(file);
  assert.equal(await cli.run("mcp", "list", "--json"), 0);
  assert.match(cli.stdout.text, /"name":\s*"one",\s*"runs":\s*"\/opt\/clock one",[^]*"teller"/);
  cli.input.answers = [false, true];
  assert.equal(await cli.run("mcp", "remove", "one"), 0);
  assert.equal(await world.read(file), before);
  assert.equal(await cli.run("mcp", "remove", "one"), 0);
  assert.deepEqual(Object.keys(JSON.parse(await world.read(file))), ["two"]);
  assert.match(cli.stdout.text, /agents fail until you remove it from their files: teller/);
  for (const line of ["remove one -y", "remove", "add three", "list one", "list --env X"]) {
    await shows(t, cli, "mcp", ...line.split(" "));
  }
});

Deno.test("mcp add without a terminal adds nothing without --yes", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  const argv = ["mcp", "add", "remote", "https://example.com/mcp", "--token", "TOKEN"];
  assert.equal(await cli.run(...argv), 2);
  assert.match(cli.stderr.text, /this is not a terminal/);
  assert.ok(!world.files().some((path) => path.endsWith("mcp-servers.json")));
  assert.equal(await cli.run(...argv, "-y", "-q"), 0);
  assert.match(cli.stdout.text, /\/mcp-servers\.json\n$/);
  assert.equal(await cli.run(...argv, "-y"), 1);
  assert.match(cli.stderr.text, /The server "remote" is already in/);
});
