import assert from "node:assert/strict";
import { LiveTriggers } from "./live_triggers.ts";

const APPROVED = "auto_approve: '*'\nhistory: off";

const call = (name: string, args: Record<string, unknown>) => ({
  call: [{ name, arguments: args }],
});

/** Runs the script once for `start.md`, then proves by other files that nothing else has fired. */
async function expectOneRun(
  live: LiveTriggers,
  options: { steps: unknown[]; debounce: string },
): Promise<void> {
  const { steps, debounce } = options;
  await live.watching("keeper", ["inbox"], {
    steps: [...steps, { say: "done" }],
    trigger: `debounce: ${debounce}`,
    settings: `${APPROVED}\nagents: helper`,
  });
  await live.open();
  live.write("inbox/start.md");
  await live.untilFired("keeper", "created start.md");
  const [run] = await live.runs("keeper");
  assert.equal(run?.status, "success");
  // Each one more: had a write of the runs before fired, it would be told of here.
  live.write("inbox/second.md");
  await live.untilFired("keeper", "created start.md", "created second.md");
  live.write("inbox/third.md");
  await live.untilFired("keeper", "created start.md", "created second.md", "created third.md");
}

const scripts: [what: string, steps: unknown[]][] = [
  ["file_write and file_edit", [
    call("file_write", { path: "inbox/new.md", content: "one two" }),
    call("file_edit", { path: "inbox/new.md", old_text: "two", new_text: "three" }),
    call("file_edit", { path: "inbox/old.md", old_text: "x", new_text: "y" }),
    call("file_edit", { path: "inbox/old.md", old_text: "y", new_text: "x" }),
  ]],
  ["file_delete", [
    call("file_write", { path: "inbox/short.md", content: "one" }),
    call("file_delete", { path: "inbox/short.md" }),
    call("file_delete", { path: "inbox/victim.md" }),
    call("file_write", { path: "inbox/victim.md", content: "back again" }),
  ]],
  ["file_move", [
    call("file_write", { path: "inbox/here.md", content: "one" }),
    call("file_move", { source: "inbox/here.md", destination: "inbox/there.md" }),
    call("file_move", { source: "inbox/there.md", destination: "outside/there.md" }),
    call("file_move", { source: "outside/there.md", destination: "inbox/deep/again.md" }),
    call("file_delete", { path: "inbox/deep/again.md" }),
  ]],
  ["the memory tools", [
    call("memory_save", { section: "Facts", content: "one" }),
    call("memory_append", { section: "Facts", content: "two" }),
  ]],
  ["a delegate", [call("run_agent", { agent_id: "helper" })]],
];

for (const debounce of ["0", "50ms"]) {
  for (const [what, steps] of scripts) {
    Deno.test(`an agent does not fire itself by ${what}, with debounce ${debounce}`, async () => {
      await using live = await LiveTriggers.create();
      live.write("inbox/old.md", "x");
      live.write("inbox/victim.md", "x");
      await live.place.writeScript("helper", [
        call("file_write", { path: "inbox/helped.md", content: "one" }),
        call("file_edit", { path: "inbox/old.md", old_text: "x", new_text: "x, seen" }),
        { say: "done" },
      ], APPROVED);
      await expectOneRun(live, { steps, debounce });
    });
  }
}

Deno.test("the memory tools fire no agent that watches the whole workspace", async () => {
  await using live = await LiveTriggers.create();
  const steps = [call("memory_save", { section: "Facts", content: "one" }), { say: "done" }];
  await live.watching("keeper", ["."], { steps, settings: APPROVED });
  await live.open();
  live.write("start.md");
  await live.untilFired("keeper", "created start.md");
  live.write("next.md");
  await live.untilFired("keeper", "created start.md", "created next.md");
});

Deno.test("what an agent writes fires another one, and what a person changes after it fires itself", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  const steps = [call("file_write", { path: "inbox/report.md", content: "mine" }), { say: "done" }];
  await live.watching("writer", ["inbox"], { steps, settings: APPROVED });
  await live.watching("reader", ["inbox/report.md"]);
  await live.open();
  live.write("inbox/start.md");
  await live.untilFired("reader", "created report.md");
  await live.untilFired("writer", "created start.md");
  live.write("inbox/report.md", "by hand");
  await live.untilFired("writer", "created start.md", "modified report.md");
});
