import assert from "node:assert/strict";
import { createSetupWorld } from "../../setup_world.ts";

Deno.test("schema prints the JSON Schema of a file, and setup stores that of config.yaml", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  const titles: string[] = [];
  for (const file of ["agent", "config", "mcp"]) {
    cli.stdout.text = "";
    assert.equal(await cli.run("schema", file), 0, cli.stderr.text);
    titles.push(JSON.parse(cli.stdout.text).title);
  }
  assert.deepEqual(titles, [
    "The front matter of an agent file of Inkling",
    "config.yaml of Inkling",
    "mcp-servers.json of Inkling",
  ]);
  assert.equal(await cli.run("schema", "agents"), 2);
  assert.match(cli.stderr.text, /agent, config or mcp|agent, config, mcp|Did you mean/);
});
