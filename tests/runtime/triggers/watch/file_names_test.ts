import assert from "node:assert/strict";
import type { ServiceEvent } from "../../../../runtime/events/bus.ts";
import { until } from "../../../support/until.ts";
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

Deno.test("no report about an agent and its watch contains a secret, also not in a file's name", async () => {
  const secret = "tok-12345678";
  const name = `inbox/${secret}.md`;
  await using live = await LiveTriggers.create(name);
  await Deno.writeTextFile(`${live.place.configDir}/.env`, `MY_TOKEN=${secret}\n`);
  await live.watching("reader", ["inbox"], {
    trigger: `debounce: 20ms, input: "Read with ${secret}"`,
    settings: `description: Uses ${secret}\n${secret}: 1`,
  });
  await live.place.writeAgent("broken", `---\ntrigger: { type: ${secret} }\n---\n`);
  const runtime = await live.open();
  const told: ServiceEvent[] = [];
  runtime.events.subscribe((event) => void told.push(event));
  const listing = () => runtime.getAgent("reader");
  await until(async () => {
    live.write(name, "the same");
    return (await listing()).passedOver !== undefined;
  }, "a change that is passed over");
  await until(async () => {
    live.write(name);
    return (await listing()).triggerPaused !== null;
  }, "the stop of the watch");
  const now = runtime.clock.now();
  const shown = [
    ...[await listing(), await runtime.listAgents(), await runtime.scheduler()],
    await runtime.recap({ since: now - 60_000, until: now }),
    ...[runtime.brokenAgentFiles(), told],
  ].map((one) => JSON.stringify(one));
  for (const text of shown) {
    assert(!text.includes(secret), text);
    assert(text.includes("[redacted:MY_TOKEN]"), text);
  }
});
