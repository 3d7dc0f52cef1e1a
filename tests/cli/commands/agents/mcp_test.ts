import assert from "node:assert/strict";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { FixtureHttpServer } from "../../../runtime/tools/mcp/http_server.ts";
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
  const argv = ["mcp", "add", "remote", "http://127.0.0.1:1/mcp", "--token", "TOKEN"];
  assert.equal(await cli.run(...argv), 2);
  assert.match(cli.stderr.text, /this is not a terminal/);
  assert.ok(!world.files().some((path) => path.endsWith("mcp-servers.json")));
  assert.equal(await cli.run(...argv, "-y", "-q"), 0);
  assert.match(cli.stdout.text, /\/mcp-servers\.json\n$/);
  assert.equal(await cli.run(...argv, "-y"), 1);
  assert.match(cli.stderr.text, /The server "remote" is already in/);
});

Deno.test("mcp add shows a server's tools, and writes which of them need no approval", async () => {
  await using world = await createSetupWorld();
  await using server = new FixtureHttpServer({ create: createShownServer });
  const { cli } = world;
  const file = join(world.agentsDir, "_config/mcp-servers.json");
  const readEntry = async (name: string) => JSON.parse(await world.read(file))[name];
  cli.input.answers = [true, "writes", true, "all", true, "none", true, "some", ["edit"]];
  for (const name of ["one", "two", "three", "four"]) {
    assert.equal(await cli.run("mcp", "add", name, server.url), 0, cli.stderr.text);
  }
  const shown = cli.stdout.text;
  assert.match(shown, /look +read-only +Looks at \[31mthings/);
  assert.match(shown, /edit +- +Edits/);
  assert.ok(!shown.includes("\u001b"));
  assert.deepEqual((await readEntry("one")).auto_approve, ["look"]);
  assert.deepEqual((await readEntry("two")).auto_approve, []);
  assert.deepEqual((await readEntry("three")).auto_approve, ["look", "edit"]);
  assert.deepEqual((await readEntry("four")).auto_approve, ["look"]);
  assert.equal(await cli.run("mcp", "add", "five", server.url, "--yes"), 0);
  assert.deepEqual(await readEntry("five"), { url: server.url, auto_approve: ["look"] });
  assert.match(cli.stderr.text, /1 of 2 tools need a person's approval/);
  await server[Symbol.asyncDispose]();
  assert.equal(await cli.run("mcp", "add", "gone", server.url, "-y"), 0);
  assert.match(
    cli.stderr.text,
    /Warning: The MCP server "gone" cannot be used: it cannot be reached/,
  );
  assert.deepEqual(await readEntry("gone"), { url: server.url });
});

Deno.test("mcp add takes the snippet of any client, and frees nothing that it would free", async () => {
  await using world = await createSetupWorld();
  await using server = new FixtureHttpServer({ create: createShownServer });
  const { cli } = world;
  const file = join(world.agentsDir, "_config/mcp-servers.json");
  cli.input.lines = [
    "// Paste this",
    `{ "mcpServers": {`,
    `  "shown": { "url": "${server.url}", "alwaysAllow": ["edit"], "headers": { "X-Key": "<key>" } },`,
    `} }`,
  ];
  world.cli.input.answers = [];
  await Deno.mkdir(join(world.agentsDir, "_config"), { recursive: true });
  await Deno.writeTextFile(join(world.agentsDir, "_config/.env"), "SHOWN_TOKEN=abc\n");
  assert.equal(await cli.run("mcp", "add", "-", "-y"), 0, cli.stderr.text);
  assert.match(cli.stderr.text, /shown: left out of the snippet: alwaysAllow/);
  assert.deepEqual(JSON.parse(await world.read(file)).shown, {
    url: server.url,
    headers: { "X-Key": "${SHOWN_TOKEN}" },
    auto_approve: ["look"],
  });
  assert.equal(await cli.run("mcp", "add", "no-such-program --flag 'a b'", "-y"), 0);
  assert.match(cli.stderr.text, /"no-such-program" cannot be used: it ended with exit|no program/);
  assert.deepEqual(JSON.parse(await world.read(file))["no-such-program"], {
    command: "no-such-program",
    args: ["--flag", "a b"],
  });
  assert.equal(await cli.run("mcp", "add", "{ broken", "-y"), 1);
  assert.match(cli.stderr.text, /The snippet is not valid JSON/);
  assert.equal(await cli.run("mcp", "add", "npx -y x", "-y", "--env", "A"), 2);
});

/** Creates a server with a tool that is declared read-only, and one that is not. */
function createShownServer(): McpServer {
  const server = new McpServer({ name: "shown", version: "1.0.0" });
  const reply = () => ({ content: [{ type: "text" as const, text: "ok" }] });
  const annotations = { readOnlyHint: true };
  const description = "Looks at \u001b[31m\n[31mthings";
  server.registerTool("look", { description, annotations }, reply);
  server.registerTool("edit", { description: "Edits" }, reply);
  return server;
}
