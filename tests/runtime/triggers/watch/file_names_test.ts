import assert from "node:assert/strict";
import { LiveTriggers } from "../live_triggers.ts";

const COMPOSED = "Übung";
const DECOMPOSED = COMPOSED.normalize("NFD");

Deno.test("a pattern matches both Unicode forms of a name that the agent can read", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  const read = { name: "file_read", arguments: { path: `inbox/${DECOMPOSED} 1.md` } };
  const steps = [{ call: [read] }, { say: "{result}" }];
  const settings = "paths: [elsewhere]";
  await live.watching("composed", [`inbox/${COMPOSED}*.md`], { steps, settings });
  const trigger = `debounce: 20ms, filters: { include: ['${DECOMPOSED}*'], exclude: ['*2*'] }`;
  await live.watching("decomposed", ["inbox"], { trigger });
  await live.watching("without", ["inbox"], {
    trigger: `debounce: 20ms, filters: { exclude: ['${COMPOSED}*'] }`,
  });
  await live.open();
  live.write(`inbox/${DECOMPOSED} 1.md`, "the letter");
  live.write(`inbox/${COMPOSED} 2.md`);
  live.write("inbox/last.md");
  await live.untilFired("without", "created last.md");
  await live.untilFired("composed", `created ${DECOMPOSED} 1.md`, `created ${COMPOSED} 2.md`);
  await live.untilFired("decomposed", `created ${DECOMPOSED} 1.md`);
  const outputs = await Promise.all(
    (await live.runs("composed")).map(async ({ id }) =>
      (await live.runtime.getExecution(id)).outputData
    ),
  );
  assert.ok(outputs.every((output) => output?.includes("the letter")), `${outputs}`);
});

Deno.test("a watched folder may be a symlink to an outside folder whose target changes", async () => {
  await using live = await LiveTriggers.create();
  for (const name of ["one", "two"]) {
    await Deno.mkdir(`${live.place.root}/${name}`);
    await Deno.writeTextFile(`${live.place.root}/${name}/old.md`, "old");
  }
  const lead = (name: string) => {
    Deno.symlinkSync(`${live.place.root}/${name}`, live.path("next"));
    Deno.renameSync(live.path("next"), live.path("link"));
  };
  lead("one");
  const call = [{ name: "file_read", arguments: { path: "link/a.md" } }];
  const settings = "history: off";
  await live.watching("reader", ["link"], { steps: [{ call }, { say: "{result}" }], settings });
  await live.open();
  await Deno.writeTextFile(`${live.place.root}/one/a.md`, "first letter");
  await live.untilFired("reader", "created a.md");
  lead("two");
  // The link has another target now. The watcher checks it every two seconds, so the files of the new target appear.
  await live.untilFired("reader", "created a.md", "created old.md");
  await Deno.writeTextFile(live.path("link/a.md"), "second letter");
  await live.untilFired("reader", "created a.md", "created old.md", "created a.md");
  const outputs = await Promise.all(
    (await live.runs("reader")).map(async ({ id }) =>
      (await live.runtime.getExecution(id)).outputData ?? ""
    ),
  );
  assert.match(outputs[0] ?? "", /first letter/);
  assert.match(outputs.at(-1) ?? "", /second letter/);
});
