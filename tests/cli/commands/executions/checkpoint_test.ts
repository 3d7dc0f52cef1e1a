import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";

async function createStored(options: Parameters<typeof createFakeCli>[0] = {}): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  cli.runtime.addAgent(fakeAgent("new"));
  cli.runtime.checkpoints = {
    path: "/state/inkling.db",
    sizeBytes: 12_345_678,
    threads: 3,
    agents: [
      { agentId: "daily", threads: 2, messages: 1_234, bytes: 9_999 },
      { agentId: "gone", threads: 1, messages: 2, bytes: 512 },
    ],
  };
  return cli;
}

Deno.test("checkpoint --agent shows one agent, also one whose file is gone or that has nothing stored", async () => {
  await using cli = await createStored();
  assert.equal(await cli.run("checkpoint", "--agent", "gone", "--json"), 0);
  assert.deepEqual(JSON.parse(cli.stdout.text).agents, [
    { agent_id: "gone", threads: 1, messages: 2, bytes: 512 },
  ]);
  cli.stdout.text = "";
  assert.equal(await cli.run("checkpoint", "--agent", "new", "-q"), 0);
  assert.equal(cli.stdout.text, "No conversations are stored\n");
  assert.equal(await cli.run("checkpoint", "--agent", "nwe"), 2);
  assert.match(cli.stderr.text, /There is no agent "nwe"\. Did you mean "new"\?/);
});

Deno.test("checkpoint --agent takes accents in either form of Unicode", async () => {
  await using cli = await createStored();
  const id = "café au lait".normalize("NFC");
  const { checkpoints } = cli.runtime;
  cli.runtime.checkpoints = {
    ...checkpoints,
    agents: [...checkpoints.agents, { agentId: id, threads: 2, messages: 8, bytes: 99 }],
  };
  assert.equal(await cli.run("checkpoint", "--agent", id.normalize("NFD"), "-q"), 0);
  assert.match(cli.stdout.text, /^Agent .*\ncafé au lait +2 +8 +99 B\n$/);
});

Deno.test("checkpoint --purge removes through the service, and where none runs by itself: it starts none", async () => {
  const table: [string[], unknown, RegExp][] = [
    [[], { force: false }, /^Removed 3 conversations\n/],
    [["--force"], { force: true }, /^Removed 3 conversations\n/],
    [
      ["--agent", "daily"],
      { force: false, agentId: "daily" },
      /^Removed 3 conversations of daily\n/,
    ],
  ];
  for (const [flags, purge, text] of table) {
    for (const isRunning of [true, false]) {
      await using cli = await createStored({ isRunning });
      assert.equal(await cli.drive(cli.run("checkpoint", "--purge", ...flags)), 0);
      assert.deepEqual(cli.runtime.purges, [purge]);
      assert.match(cli.stdout.text, text);
      assert.equal(cli.upkeepsOpened, isRunning ? 0 : 1);
      assert.deepEqual([cli.spawned.length, cli.localOpened], [0, 0]);
    }
  }
});
