import assert from "node:assert/strict";
import { LiveTriggers } from "./live_triggers.ts";

const APPROVED = "auto_approve: '*'\nhistory: off";

const call = (name: string, args: Record<string, unknown>) => ({
  call: [{ name, arguments: args }],
});

/** The actions of the agent in a folder that contains old.md and victim.md. */
const SCRIPTS: Readonly<Record<string, (folder: string) => unknown[]>> = {
  "file_write and file_edit": (folder) => [
    call("file_write", { path: `${folder}/new.md`, content: "one two" }),
    call("file_edit", { path: `${folder}/new.md`, old_text: "two", new_text: "three" }),
    call("file_edit", { path: `${folder}/old.md`, old_text: "x", new_text: "y" }),
    call("file_edit", { path: `${folder}/old.md`, old_text: "y", new_text: "x" }),
  ],
  "file_delete": (folder) => [
    call("file_write", { path: `${folder}/short.md`, content: "one" }),
    call("file_delete", { path: `${folder}/short.md` }),
    call("file_delete", { path: `${folder}/victim.md` }),
    call("file_write", { path: `${folder}/victim.md`, content: "back again" }),
  ],
  "file_move": (folder) => [
    call("file_write", { path: `${folder}/here.md`, content: "one" }),
    call("file_move", { source: `${folder}/here.md`, destination: `${folder}/there.md` }),
    call("file_move", { source: `${folder}/there.md`, destination: `outside/${folder}.md` }),
    call("file_move", { source: `outside/${folder}.md`, destination: `${folder}/deep/again.md` }),
    call("file_delete", { path: `${folder}/deep/again.md` }),
  ],
  "a delegate": (folder) => [call("run_agent", { agent_id: `helper of ${folder}` })],
};

Deno.test("an agent's own writes do not fire it, with and without a debounce", async () => {
  await using live = await LiveTriggers.create();
  const cases = Object.entries(SCRIPTS).flatMap(([what, script], index) =>
    (index === 0 ? ["0", "50ms"] : ["0"])
      .map((debounce) => ({ what: `${what}, debounce ${debounce}`, script, debounce }))
  );
  for (const [n, { script, debounce }] of cases.entries()) {
    const folder = `inbox-${n}`;
    live.write(`${folder}/old.md`, "x");
    live.write(`${folder}/victim.md`, "x");
    await live.place.writeScript(`helper of ${folder}`, [
      call("file_write", { path: `${folder}/helped.md`, content: "one" }),
      call("file_edit", { path: `${folder}/old.md`, old_text: "x", new_text: "x, seen" }),
      { say: "done" },
    ], APPROVED);
    await live.watching(folder, [folder], {
      steps: [...script(folder), { say: "done" }],
      trigger: `debounce: ${debounce}`,
      settings: `${APPROVED}\nagents: "helper of ${folder}"`,
    });
  }
  await live.open();
  // If an earlier write of the agent fired, its change is in the list of the next run.
  const files = ["start.md", "second.md"];
  for (const [round, file] of files.entries()) {
    for (const n of cases.keys()) live.write(`inbox-${n}/${file}`);
    for (const [n, { what }] of cases.entries()) {
      const expected = files.slice(0, round + 1).map((name) => `created ${name}`);
      await live.untilFired(`inbox-${n}`, ...expected)
        .catch((error) => assert.fail(`${what}: ${error}`));
      if (round > 0) continue;
      assert.equal((await live.runs(`inbox-${n}`))[0]?.status, "success", what);
    }
  }
});

Deno.test("the memory tools do not fire an agent that watches the whole workspace", async () => {
  await using live = await LiveTriggers.create();
  const steps = [call("memory_save", { section: "Facts", content: "one" }), { say: "done" }];
  await live.watching("keeper", ["."], { steps, settings: APPROVED });
  await live.open();
  live.write("start.md");
  await live.untilFired("keeper", "created start.md");
  live.write("next.md");
  await live.untilFired("keeper", "created start.md", "created next.md");
});

Deno.test("an agent's write fires another agent, and a person's later change fires both", async () => {
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
