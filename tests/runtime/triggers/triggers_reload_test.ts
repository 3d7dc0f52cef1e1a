import assert from "node:assert/strict";
import { join } from "node:path";
import { settle, TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { LiveTriggers } from "./live_triggers.ts";

const MINUTE = 60_000;
const BROKEN = "---\ntrigger: { type: nonsense }\n---\nBroken.\n";

Deno.test("a deleted agent stops firing, even while another agent file cannot be read", async () => {
  await using live = await LiveTriggers.create();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await live.place.writeAgent("broken", BROKEN);
  await live.place.writeScript("tick", [{ say: "x" }], "trigger: { type: schedule, every: 1m }");
  await live.watching("reader", ["inbox"]);
  await live.watching("other", ["inbox"]);
  live.write("inbox/old.md");
  const runtime = await live.open({ clock });
  await Deno.remove(join(live.place.agentsDir, "tick.md"));
  await Deno.remove(join(live.place.agentsDir, "reader.md"));
  const report = await runtime.reloadAgents();
  assert.deepEqual(report.removed, ["reader", "tick"]);
  assert.equal(runtime.brokenAgentFiles().length, 1);
  await clock.advance(2 * MINUTE);
  live.write("inbox/new.md");
  await until(async () => {
    await clock.advance(100);
    return (await live.runs("other")).length === 1;
  }, "the agent that is still there");
  await settle();
  assert.deepEqual(await live.runs("tick"), []);
  assert.deepEqual(await live.runs("reader"), []);
});

Deno.test("an agent whose file is temporarily empty keeps its schedule", async () => {
  await using live = await LiveTriggers.create();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await live.place.writeScript("tick", [{ say: "x" }], "trigger: { type: schedule, every: 1h }");
  const file = join(live.place.agentsDir, "tick.md");
  const text = Deno.readTextFileSync(file);
  const runtime = await live.open({ clock });
  const due = Date.parse("2026-03-01T01:00:00.000Z");
  await clock.advance(MINUTE);
  Deno.truncateSync(file);
  await runtime.reloadAgents();
  const { agent, nextRun } = await runtime.getAgent("tick");
  assert.deepEqual([agent.trigger.type, nextRun], ["schedule", due]);
  assert.match(agent.warnings.map(({ message }) => message).join(), /^The system prompt is empty$/);
  await clock.advance(MINUTE);
  Deno.writeTextFileSync(file, text);
  await runtime.reloadAgents();
  assert.equal((await runtime.getAgent("tick")).nextRun, due);
});

Deno.test("an agent with an invalid file at the start keeps its schedule and queued changes", async () => {
  await using live = await LiveTriggers.create();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  const every = "trigger: { type: schedule, every: 1h }";
  await live.place.writeScript("tick", [{ say: "x" }], every);
  const steps = [{ call: [{ name: "ask_user", arguments: { question: "Well?" } }] }, { say: "ok" }];
  await live.watching("reader", ["inbox"], { steps });
  live.write("inbox/old.md");
  await live.open({ clock });
  const advanceUntil = (condition: () => Promise<boolean>, what: string) =>
    until(async () => {
      await clock.advance(10);
      return await condition();
    }, what);
  live.write("inbox/1.md");
  await advanceUntil(
    async () => (await live.runs("reader")).at(-1)?.status === "waiting",
    "the question",
  );
  live.write("inbox/2.md");
  // The time is longer than the debounce. The restarts show that the change was stored.
  for (let i = 0; i < 50; i++) await clock.advance(10);
  await live.close();
  const due = Date.parse("2026-03-01T01:00:00.000Z");
  const files = ["tick", "reader"].map((id) => join(live.place.agentsDir, `${id}.md`));
  const texts = files.map((file) => Deno.readTextFileSync(file));
  for (const file of files) Deno.writeTextFileSync(file, BROKEN);
  {
    await using runtime = await live.place.open({ clock });
    assert.deepEqual(await runtime.listAgents(), []);
    files.forEach((file, i) => Deno.writeTextFileSync(file, texts[i] ?? ""));
    await runtime.reloadAgents();
    assert.equal((await runtime.getAgent("tick")).nextRun, due);
  }
  for (const file of files) Deno.writeTextFileSync(file, BROKEN);
  await (await live.place.open({ clock }))[Symbol.asyncDispose]();
  files.forEach((file, i) => Deno.writeTextFileSync(file, texts[i] ?? ""));
  const runtime = await live.open({ clock });
  assert.equal((await runtime.getAgent("tick")).nextRun, due);
  const [asking] = await live.runs("reader");
  const { requestId } = await runtime.pendingRequest(asking?.id ?? 0);
  await runtime.respond(asking?.id ?? 0, { requestId, answer: { text: "go on" } });
  await advanceUntil(
    async () => (await live.fired("reader")).includes("created 2.md"),
    "the change that waited",
  );
  assert.equal((await live.runs("reader")).length, 2);
});

Deno.test("changes of agent files are noticed while an agent's watch of the workspace is edited", async () => {
  await using live = await LiveTriggers.create();
  await live.place.writeScript("first", [{ say: "x" }]);
  const runtime = await live.open();
  const has = (id: string, isThere = true) =>
    until(
      async () => (await runtime.listAgents()).some(({ agent }) => agent.id === id) === isThere,
      `${id} is ${isThere ? "there" : "gone"}`,
    );
  // The agents are changed through their files only, without a requested reload.
  await live.watching("keen", ["."], {
    trigger: "debounce: 20ms, filters: { include: ['*.txt'] }",
  });
  await has("keen");
  await live.place.writeScript("second", [{ say: "x" }]);
  await has("second");
  live.write("a.txt");
  await live.untilFired("keen", "created a.txt");
  await live.watching("keen", [".", "inbox"], { trigger: "debounce: 10ms" });
  await until(async () => {
    const { trigger } = (await runtime.getAgent("keen")).agent;
    return trigger.type === "watch" && trigger.paths.length === 2;
  }, "the edit");
  await Deno.remove(join(live.place.agentsDir, "second.md"));
  await has("second", false);
  live.write("b.txt");
  await live.untilFired("keen", "created a.txt", "created b.txt");
  await Deno.remove(join(live.place.agentsDir, "keen.md"));
  await has("keen", false);
  await live.place.writeScript("third", [{ say: "x" }]);
  await has("third");
  await live.place.writeScript("third", [{ say: "y" }], "description: Edited.");
  const isDone = async () => (await runtime.getAgent("third")).agent.description === "Edited.";
  await until(isDone, "the edit of an agent after the watch is gone");
  // The watch of the workspace excludes the agents folder.
  assert.equal((await live.runs("keen")).length, 2);
});

Deno.test("a reload waits at most two seconds for the scan of watched paths", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  const clock = new TestClock();
  const runtime = await live.open({ clock });
  const { readDir } = Deno;
  const looked = Promise.withResolvers<void>();
  let isLooking = false;
  Deno.readDir = async function* (path) {
    isLooking ||= String(path) === live.path("inbox");
    if (isLooking) await looked.promise;
    yield* readDir(path);
  };
  try {
    await live.watching("reader", ["inbox"]);
    let isDone = false;
    const reloading = runtime.reloadAgents().then(() => isDone = true);
    await until(() => isLooking, "a look at the folder");
    await clock.advance(1_999);
    assert.equal(isDone, false);
    await clock.advance(1);
    await reloading;
  } finally {
    looked.resolve();
    Deno.readDir = readDir;
  }
});
