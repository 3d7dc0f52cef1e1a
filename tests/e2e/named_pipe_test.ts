// A named pipe in the agents folder of the real service.
import assert from "node:assert/strict";
import { join } from "node:path";
import { HAS_PIPES, makePipe } from "../support/machine/pipes.ts";
import { createRealHome, isAlive, type RealHome, untilFound } from "./real_process.ts";

const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, fn, ignore: !HAS_PIPES });

/** A service that follows its agents folder. */
async function startFollowing(home: RealHome): Promise<number> {
  await home.writeScript("edited", [{ say: "hello" }], "name: First");
  await home.succeed("start", "--daemon");
  await edit(home, "Second");
  using client = home.client();
  return (await client.info()).pid;
}

/** Edits the agent; resolves when the service has read it. */
async function edit(home: RealHome, name: string): Promise<void> {
  await home.writeScript("edited", [{ say: "hello" }], `name: ${name}`);
  using client = home.client();
  await untilFound(
    `the edited agent ${name}`,
    async () => (await client.agents()).find((agent) => agent.display_name === name),
  );
}

/** Stops the service by asking it, without any signal. */
async function stop(home: RealHome, pid: number): Promise<void> {
  const { stdout } = await home.succeed("stop");
  assert.match(stdout, /has stopped/);
  assert.doesNotMatch(stdout, /SIGTERM|SIGKILL/);
  assert.equal(await isAlive(pid), false);
}

test("an agent that is edited after a named pipe was made in the agents folder is read again", async () => {
  await using home = await createRealHome();
  const pid = await startFollowing(home);
  makePipe(join(home.workspace, "agents/pipe.md"));
  await edit(home, "Third");
  await stop(home, pid);
});

test("stop ends a service whose watch has just been stalled by a named pipe", async () => {
  await using home = await createRealHome();
  const pid = await startFollowing(home);
  makePipe(join(home.workspace, "agents/pipe.md"));
  await stop(home, pid);
});
