// Tests of the real service with a named pipe in its agents folder.
import assert from "node:assert/strict";
import { join } from "node:path";
import { HAS_PIPES, makePipe } from "../support/machine/pipes.ts";
import { createRealHome, isAlive, untilFound } from "./real_process.ts";

Deno.test({
  name: "a named pipe in the agents folder blocks neither edited agents nor the stop",
  ignore: !HAS_PIPES,
  async fn() {
    await using home = await createRealHome();
    await home.writeScript("edited", [{ say: "hello" }], "name: First");
    await home.startService();
    using client = home.client();
    const { pid } = await client.info();
    const edit = async (name: string) => {
      await home.writeScript("edited", [{ say: "hello" }], `name: ${name}`);
      await untilFound(
        `the edited agent ${name}`,
        async () => (await client.agents()).find((agent) => agent.display_name === name),
      );
    };
    await edit("Second");
    makePipe(join(home.workspace, "agents/pipe.md"));
    await edit("Third");
    // The watcher opens the new pipe and is blocked by it.
    makePipe(join(home.workspace, "agents/another.md"));
    const { stdout } = await home.succeed("stop");
    assert.match(stdout, /has stopped/);
    assert.doesNotMatch(stdout, /SIGTERM|SIGKILL/);
    assert.equal(await isAlive(pid), false);
  },
});
