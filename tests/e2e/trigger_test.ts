// Triggers of the real service, as a person sees them: on the command line and in the stream of events.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome, type RealHome, untilFound } from "./real_process.ts";

/** Two agents that write for each other for ever. */
async function writeLoop(home: RealHome): Promise<void> {
  for (const [id, from, to] of [["ping", "a", "b"], ["pong", "b", "a"]]) {
    await Deno.mkdir(join(home.workspace, from ?? ""), { recursive: true });
    await home.writeScript(
      id ?? "",
      [
        { call: [{ name: "file_write", arguments: { path: `${to}/ball.md`, content: "over" } }] },
        { say: "done" },
      ],
      `trigger: { type: watch, paths: [${from}], debounce: 0, same_content: true }\nauto_approve: [file_write]\nhistory: off`,
    );
  }
}

Deno.test("a trigger that runs away is stopped, and told on the command line and in the stream of events", async () => {
  await using home = await createRealHome();
  await writeLoop(home);
  await home.succeed("start", "--daemon");
  using client = home.client();
  const over = new AbortController();
  const told: unknown[] = [];
  const listening = (async () => {
    for await (const event of client.events({ signal: over.signal })) {
      if (event.event === "trigger_changed") told.push(event.payload);
    }
  })().catch(() => {/* It is ended below. */});
  await untilFound("the stream", async () => (await client.info()).active_streams > 0);
  await Deno.writeTextFile(join(home.workspace, "a/ball.md"), "begin");
  const stopped = await untilFound(
    "a stopped trigger",
    async () => (await client.agents()).find(({ trigger_paused }) => trigger_paused !== null),
  );
  const event = await untilFound(
    "the event",
    () =>
      Promise.resolve(
        (told as { agent_id: string; status: string }[])
          .find(({ agent_id: id }) => id === stopped.id),
      ),
  );
  assert.equal(event.status, "paused");
  const list = await home.succeed("list");
  assert.match(list.stdout, new RegExp(`${stopped.id} .* paused`));
  assert.match(
    list.stderr.replaceAll(/\s+/g, " "),
    // Which of the two limits is reached first is a matter of moments.
    new RegExp(
      `trigger of ${stopped.id} is paused: (\\S+ fired )?more than 20 (runs in a row|times within)`,
    ),
  );
  over.abort();
  await listening;
});

Deno.test("a workspace behind a symlink: schedules, watches and agent files work, and a kill loses no slot", async () => {
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
  await home.succeed("start", "--daemon");
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
  await home.succeed("start", "--daemon");
  using fresh = home.client();
  const before = (await fresh.slots("tick", { limit: 500 })).length;
  await untilFound(
    "more slots",
    async () => (await fresh.slots("tick", { limit: 500 })).length > before,
  );
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
  const logs = await home.succeed("logs", "tick", "-n", "50");
  assert.match(logs.stdout, /skipped/);
  assert.match(logs.stdout, /paused/);
});
