// Tests of the real service's triggers across a kill.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome, untilFound } from "./real_process.ts";

Deno.test("triggers of a workspace behind a symlink survive a kill without losing a slot", async () => {
  await using home = await createRealHome();
  const real = join(home.root, "real");
  await Deno.rename(home.workspace, real);
  await Deno.symlink(real, home.workspace);
  await Deno.mkdir(join(real, "inbox"));
  await home.writeScript("tick", [{ say: "tock" }], "trigger: { type: schedule, every: 1s }");
  await home.writeScript(
    "reader",
    [{ call: [{ name: "file_read", arguments: { path: "inbox/a.md" } }] }, { say: "{result}" }],
    "trigger: { type: watch, paths: [inbox], debounce: 50ms }",
  );
  await home.startService();
  using client = home.client();
  await Deno.writeTextFile(join(home.workspace, "inbox/a.md"), "the letter");
  const read = await untilFound(
    "the run of the watch",
    async () => (await client.runs("reader")).find(({ status }) => status === "success"),
  );
  assert.match((await client.execution(read.id)).output_data ?? "", /the letter/);
  await home.writeScript("later", [{ say: "x" }]);
  await untilFound(
    "the new agent",
    async () => (await client.agents()).find(({ id }) => id === "later"),
  );
  await untilFound("a slot", async () => (await client.slots("tick"))[0]);
  Deno.kill((await client.info()).pid, "SIGKILL");
  await home.startService();
  using fresh = home.client();
  await fresh.pauseScheduler();
  await untilFound(
    "a skipped slot",
    async () => (await fresh.slots("tick"))[0]?.outcome === "skipped",
  );
  const slots = (await fresh.slots("tick", { limit: 500 })).toReversed();
  let expected = Date.parse(slots[0]?.scheduled_for ?? "");
  for (const { scheduled_for, count } of slots) {
    assert.equal(Date.parse(scheduled_for), expected, "every second has one outcome");
    expected += count * 1_000;
  }
});
