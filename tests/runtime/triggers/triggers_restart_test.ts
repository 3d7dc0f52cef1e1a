import assert from "node:assert/strict";
import { join } from "node:path";
import { Triggers, type TriggersPorts } from "../../../runtime/triggers/triggers.ts";
import { settle } from "../../support/test_clock.ts";
import { toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { AT_GATE_MS, GateClock } from "./gate_clock.ts";
import { LiveTriggers } from "./live_triggers.ts";

const ASK = [{ call: [{ name: "ask_user", arguments: { question: "Well?" } }] }, { say: "ok" }];

async function waitingRuns(live: LiveTriggers, id: string): Promise<number[]> {
  return (await live.runs(id)).filter(({ status }) => status === "waiting").map(({ id }) => id);
}

/** Returns true if the service has stored the present state of a file. */
async function isSeen({ place }: LiveTriggers, name: string): Promise<boolean> {
  const rows = await place.all("SELECT 1 FROM watched_files WHERE path LIKE ?", `%/${name}`);
  return rows.length > 0;
}

async function answer(live: LiveTriggers, id: number | undefined): Promise<void> {
  assert.ok(id !== undefined, "an execution waits");
  const { requestId } = await live.runtime.pendingRequest(id);
  await live.runtime.respond(id, { requestId, answer: { text: "go on" } });
}

Deno.test("a pause drops file changes across a restart, but allows manual runs", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  await live.watching("reader", ["inbox"], { trigger: "debounce: 20ms, catch_up: once" });
  await live.open();
  await live.runtime.pauseScheduler();
  live.write("inbox/1.md");
  await live.close();
  live.write("inbox/2.md");
  const runtime = await live.open();
  assert.equal((await runtime.scheduler()).status, "paused");
  live.write("inbox/3.md");
  const { id } = await runtime.run("reader", {});
  assert.equal((await toEnd(runtime, id)).status, "success");
  await until(() => isSeen(live, "3.md"), "the change is seen, and dropped");
  await live.restart();
  await live.runtime.resumeScheduler();
  live.write("inbox/4.md");
  await live.untilFired("reader", "manual", "created 4.md");
});

Deno.test("a resume drops the file changes of the pause that still wait for quiet", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  await live.watching("reader", ["inbox"], { trigger: "debounce: 2s" });
  await live.watching("witness", ["inbox"], { trigger: "debounce: 20ms, catch_up: once" });
  const runtime = await live.open();
  await runtime.pauseScheduler();
  live.write("inbox/1.md");
  await until(() => isSeen(live, "1.md"), "the change is noticed");
  await runtime.resumeScheduler();
  live.write("inbox/2.md");
  await live.untilFired("reader", "created 2.md");
});

/** Opens a service whose agent `asker` waits for an answer, while another change is held. */
async function openHeld(): Promise<LiveTriggers> {
  const live = await LiveTriggers.create("inbox/old.md");
  await live.watching("asker", ["inbox"], { steps: ASK });
  await live.watching("witness", ["inbox"]);
  await live.open();
  live.write("inbox/1.md");
  await until(async () => (await waitingRuns(live, "asker")).length === 1, "the question");
  live.write("inbox/2.md");
  await live.untilFired("witness", "created 1.md", "created 2.md");
  return live;
}

Deno.test("a change that waits for an answer (on_pending skip) survives a restart and fires", async () => {
  await using live = await openHeld();
  await live.restart();
  assert.equal((await live.runs("asker")).length, 1);
  await answer(live, (await waitingRuns(live, "asker"))[0]);
  await until(async () => (await live.runs("asker")).length === 2, "the change that was kept");
  await until(async () => (await waitingRuns(live, "asker")).length === 1, "its question");
  await answer(live, (await waitingRuns(live, "asker"))[0]);
  await live.untilFired("asker", "created 1.md", "created 2.md");
});

Deno.test("an agent that is edited to on_pending parallel runs held and new changes beside its waiting runs", async () => {
  await using live = await openHeld();
  await live.watching("asker", ["inbox"], { steps: ASK, settings: "on_pending: parallel" });
  await until(async () => (await waitingRuns(live, "asker")).length === 2, "the held change");
  for (let i = 3; i <= 8; i++) live.write(`inbox/${i}.md`);
  // More than four runs wait, because waiting runs do not count toward the limit.
  await until(async () => (await waitingRuns(live, "asker")).length === 8, "all of them wait");
  for (const id of await waitingRuns(live, "asker")) await answer(live, id);
  await live.untilFired("asker", ...Array.from({ length: 8 }, (_, i) => `created ${i + 1}.md`));
});

Deno.test("an agent's writes during the shutdown do not fire it later", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  await live.watching("late", ["inbox"], {
    steps: [
      {
        say: "a moment",
        delay_ms: AT_GATE_MS,
        call: [{ name: "file_write", arguments: { path: "inbox/mine.md", content: "x" } }],
      },
      { say: "done" },
    ],
    trigger: "debounce: 20ms, catch_up: once",
    settings: "auto_approve: [file_write]",
  });
  const clock = new GateClock();
  await live.open({ clock });
  live.write("inbox/1.md");
  await until(() => clock.waiting === 1, "the run");
  const stopping = live.runtime.stop({ graceMs: 20_000 });
  assert.equal(await live.runningCount("late"), 1);
  clock.open();
  await stopping;
  assert.deepEqual((await live.runs("late")).map(({ status }) => status), ["success"]);
  await live.restart({ clock });
  live.write("inbox/2.md");
  await live.untilFired("late", "created 1.md", "created 2.md");
});

Deno.test("disposing of Triggers waits for a running update, which opens no watch", async () => {
  const read = Promise.withResolvers<boolean>();
  const stops = {
    follow: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const watches = {
    isWanted: () => read.promise,
    open: () => assert.fail("a watch was opened"),
  };
  const triggers = new Triggers({ stops, sources: [watches] } as unknown as TriggersPorts);
  const reconciling = triggers.reconcile([], { isUnreadable: () => false });
  let isClosed = false;
  const closing = triggers[Symbol.asyncDispose]().then(() => void (isClosed = true));
  await settle();
  assert.equal(isClosed, false);
  read.resolve(true);
  await Promise.all([reconciling, closing]);
});

Deno.test("runs that continue after a restart count toward the limits of the watch queue", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  const steps = [{ say: "done", delay_ms: AT_GATE_MS }];
  await live.watching("slow", ["inbox"], { steps, settings: "on_restart: resume\nhistory: off" });
  await live.watching("witness", ["inbox"]);
  const clock = new GateClock();
  await live.open({ clock });
  const first = ["1.md", "2.md", "3.md", "4.md"];
  for (const name of first) live.write(`inbox/${name}`);
  await until(() => clock.waiting === 4, "four runs");
  await live.untilFired("witness", ...first.map((name) => `created ${name}`));
  assert.equal(await live.runningCount("slow"), 4);
  await live.restart({ clock });
  assert.equal(await live.runningCount("slow"), 4);
  for (const name of ["1.md", "5.md"]) live.write(`inbox/${name}`);
  const all = [...first.map((name) => `created ${name}`), "modified 1.md", "created 5.md"];
  await live.untilFired("witness", ...all);
  assert.equal((await live.runs("slow")).length, 4);
  clock.open();
  await live.untilFired("slow", ...all);
  const runs = await live.runs("slow");
  const fired = await live.fired("slow");
  for (const [i, { startedAt: at }] of runs.entries()) {
    const others = runs.flatMap((other, k) =>
      k !== i && other.startedAt <= at && (other.finishedAt ?? Infinity) > at ? [k] : []
    );
    assert.ok(others.length < 4, `${others.length + 1} at once`);
    const twin = others.find((k) => fired[k]?.split(" ")[1] === fired[i]?.split(" ")[1]);
    assert.equal(twin, undefined, "two at once for one path");
  }
});

Deno.test("an agent with catch_up starts from the present files after it was removed", async () => {
  await using live = await LiveTriggers.create();
  const watching = () =>
    live.watching("reader", ["inbox"], { trigger: "debounce: 20ms, catch_up: once" });
  await watching();
  live.write("inbox/old.md");
  await live.open();
  await live.close();
  await Deno.remove(join(live.place.agentsDir, "reader.md"));
  // The stored state is removed although no agent watches files any more.
  await live.open();
  await live.close();
  live.write("inbox/old.md", "changed while nobody watched");
  await watching();
  await live.open();
  live.write("inbox/new.md");
  await live.untilFired("reader", "created new.md");
  assert.equal((await live.runs("reader")).length, 1);
});
