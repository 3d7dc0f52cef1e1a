import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";

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

const shows = picturesOf(import.meta.url);

Deno.test("checkpoint --agent shows one agent", async (t) => {
  await using cli = await createStored();
  const id = "café au lait".normalize("NFC");
  const { checkpoints } = cli.runtime;
  const accented = { agentId: id, threads: 2, messages: 8, bytes: 99 };
  cli.runtime.checkpoints = { ...checkpoints, agents: [...checkpoints.agents, accented] };
  for (const agent of ["gone", "new", "nwe", id.normalize("NFD")]) {
    await shows(t, cli, "checkpoint", "--agent", agent, "-q");
  }
  await shows(t, cli, "checkpoint", "--agent", "gone", "--json");
});

Deno.test("checkpoint --purge removes conversations without starting a service", async () => {
  const table: [string[], object, RegExp][] = [
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
      assert.deepEqual(cli.runtime.purges, [{ ...purge, by: { via: "api" } }]);
      assert.match(cli.stdout.text, text);
      assert.equal(cli.upkeepsOpened, isRunning ? 0 : 1);
      assert.deepEqual([cli.spawned.length, cli.localOpened], [0, 0]);
    }
  }
});
