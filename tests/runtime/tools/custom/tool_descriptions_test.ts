// Tests tool files that cannot be loaded for a reason outside of the file: the reason is reported, and loading is tried
// again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ownProgram } from "../../../../runtime/tools/custom/host_program.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { refusalOf } from "../files/sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

Deno.test("openTools() loads a tool file again if no process could be started", async () => {
  const program = ownProgram();
  const own = program.program;
  await using world = await ToolWorld.open({ program });
  await world.writeTool("quick", `return "done";`);
  program.program = join(world.fixture.base, "no-such-program");
  const expected =
    /quick\.ts: it could not be loaded: Cannot start .*no-such-program: it is not installed/;
  assert.match(await refusalOf(world.openTools("quick")), expected);
  program.program = "false";
  const message = await refusalOf(world.openTools("quick"));
  assert.match(message, /quick\.ts: it could not be loaded: its process ended \(exit code 1\)\.$/);
  program.program = own;
  assert.equal(await world.call("quick"), "done");
});

Deno.test("openTools() loads a tool file again if loading took too long", async () => {
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock });
  await world.write("endless.ts", `await new Promise(() => {}); export default {};`);
  for (const starts of [1, 2]) {
    const refused = refusalOf(world.openTools("endless"));
    await until(() => clock.awaits(15_000), "the loading");
    await clock.advance(15_000);
    assert.match(await refused, /endless\.ts: it does not finish loading \(15 s\)/);
    assert.equal(world.starts, starts);
  }
});
