// Simulates a planned night of nine hours. Fifteen agents have every kind of event that a person wants to know about in the
// morning. The runtime is the real one with a test clock.
import { join } from "node:path";
import { DAY_MS, MINUTE_MS } from "../../base/time_units.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import { settle, TestClock } from "../../tests/support/test_clock.ts";
import { type NightModel, openNightModel } from "./night_model.ts";

/** The time at which the night begins. */
const EVENING = Date.parse("2026-11-01T22:00:00.000Z");

/** The default step of the clock. The events of the night are planned for multiples of this step. */
const STEP_MS = 5 * MINUTE_MS;
/** The number of consecutive I/O rounds without a change after which all runs are assumed to wait for the clock. */
const QUIET_ROUNDS = 12;
/** The maximum number of polls for a changed file. A poll takes about five milliseconds. */
const MAX_POLLS = 2_000;

/** The runtime and the clock after the night; the runtime is still open. */
export interface Night extends AsyncDisposable {
  runtime: Runtime;
  clock: TestClock;
}

const daily = (cron: string) => `trigger: { type: schedule, cron: "${cron}", timezone: UTC }`;
const done = [{ say: "Done.", usage: { input: 100, output: 10 }, cost_usd: 0.01 }];

async function writeAgents(workspace: TestWorkspace, modelUrl: string): Promise<void> {
  const { writeAgent, writeScript } = workspace;
  await writeScript("digest", done, daily("0 * * * *"));
  await writeScript("mailbox", done, daily("*/30 * * * *"));
  await writeScript("archive", done, `${daily("20 23 * * *")}\ndescription: Once a night`);
  await writeScript("report", [{ fail: "the disk is full" }], daily("30 2 * * *"));
  await writeScript("flaky", [{ fail: "no luck today" }], daily("15 * * * *"));
  await writeScript("cleaner", [
    { call: [{ name: "file_delete", arguments: { path: "old.md" } }] },
    ...done,
  ], daily("5 1,2 * * *"));
  await writeScript("edited", done, daily("45 * * * *"));
  await writeScript(
    "slow",
    [{ delay_ms: 25 * 60_000, say: "At last." }],
    `${daily("*/10 1 * * *")}\nsettings: { timeout: 3600 }`,
  );
  await writeScript("spender", [
    { say: "I look.", call: [{ name: "file_glob", arguments: { pattern: "*" } }], cost_usd: 9 },
    ...done,
  ], `${daily("40 23 * * *")}\nsettings: { max_cost_usd: 5 }`);
  await writeScript("off", done, `${daily("0 * * * *")}\nenabled: false`);
  await writeScript("revised", done, daily("50 23 * * *"));
  await writeScript(
    "looper",
    done,
    "trigger: { type: watch, paths: [drop], debounce: 0, max_runs: 1 }",
  );
  await writeScript("keeper", [
    { call: [{ name: "file_delete", arguments: { path: "old.md" } }] },
    ...done,
  ], "trigger: { type: watch, paths: [kept], debounce: 0 }");
  for (const folder of ["drop", "kept"]) await Deno.mkdir(join(workspace.workspace, folder));
  await writeAgent(
    "remote",
    `---\nmodel: { provider: local, name: m, base_url: "${modelUrl}" }\n${
      daily("20 * * * *")
    }\nretry: 0\n---\nSay how it is.\n`,
  );
  await writeAgent(
    "keyless",
    `---\nmodel: { provider: openai, name: gpt-5-mini }\n${
      daily("25 3 * * *")
    }\n---\nSay how it is.\n`,
  );
  await Deno.writeTextFile(join(workspace.workspace, "old.md"), "old");
}

/** Returns a time of this night, given in UTC as `23:20`, in milliseconds since the epoch. */
export function momentOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const moment = EVENING - EVENING % DAY_MS + (hours * 60 + minutes) * MINUTE_MS;
  return moment < EVENING ? moment + DAY_MS : moment;
}

/** Simulates the night and returns its runtime and clock. */
export async function runNight(): Promise<Night> {
  await using opened = new AsyncDisposableStack();
  const model = opened.use(openNightModel());
  const workspace = opened.use(await createTestWorkspace());
  await writeAgents(workspace, model.baseUrl);
  const clock = new TestClock(EVENING);
  let runtime: Runtime | undefined;
  opened.defer(async () => await runtime?.[Symbol.asyncDispose]());
  const until = async (time: string, step = STEP_MS) => {
    while (clock.now() < momentOf(time)) {
      // Jump over each step, so that timers of two seconds do not fire all night.
      const left = momentOf(time) - clock.now();
      const atRest = clock.sleeping;
      clock.jump(Math.min(left, step - clock.now() % step));
      await clock.advance(0);
      if (runtime !== undefined) await finishRounds(runtime, { clock, model, atRest });
    }
  };
  runtime = await workspace.open({ clock });
  await until("02:10");
  // At ten past two, a person saves an incomplete file and leaves it so.
  await workspace.writeAgent(
    "edited",
    "---\nmodel: { provider: demo, name: script\ntrigger:\n---\n",
  );
  await runtime.reloadAgents();
  await until("03:00");
  model.isOut = true;
  await until("03:20");
  // Smaller steps: a request is retried after seconds, and a run times out after minutes. A large step would reach both
  // times at once.
  await until("03:22", 2_000);
  await until("04:00");
  model.isOut = false;
  await until("04:10");
  await runtime.stop({ graceMs: 0 });
  await runtime[Symbol.asyncDispose]();
  runtime = undefined;
  await until("05:10");
  runtime = await workspace.open({ clock });
  await until("06:05");
  await runtime.pauseScheduler();
  await until("06:35");
  await runtime.resumeScheduler();
  await until("06:40");
  await workspace.writeAgent("revised", "---\nmodel: { provider: demo, name: script\n---\n");
  await runtime.reloadAgents();
  await until("06:45");
  await dropFiles(workspace.workspace, runtime, clock);
  await until("07:00");
  const resources = opened.move();
  return { runtime, clock, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/**
 * Changes watched files and waits in real time until each change was seen, because the system's file events do not follow
 * the test clock.
 */
async function dropFiles(workspace: string, runtime: Runtime, clock: TestClock): Promise<void> {
  const change = async (name: string, isSeen: () => Promise<boolean>) => {
    await Deno.writeTextFile(join(workspace, name), name);
    for (let i = 0; !await isSeen(); i++) {
      if (i > MAX_POLLS) throw new Error(`Nobody sees ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await clock.advance(i % 10 === 9 ? 100 : 0);
    }
  };
  const begun = (agentId: string) => async () =>
    (await runtime.listExecutions({ agentId, limit: 1, offset: 0 }))
      .some(({ status }) => status !== "running");
  await change("kept/a.md", begun("keeper"));
  await change("drop/a.md", begun("looper"));
  await change("drop/b.md", async () => (await runtime.getAgent("looper")).triggerPaused !== null);
  await Deno.writeTextFile(join(workspace, "kept/b.md"), "b");
}

/**
 * Waits until no execution runs, or until every running execution waits for the clock. `atRest` is the number of waits on
 * the clock before the step: the scheduler waits again after it has started the due runs.
 */
async function finishRounds(
  runtime: Runtime,
  { clock, model, atRest }: { clock: TestClock; model: NightModel; atRest: number },
): Promise<void> {
  let before = "";
  for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
    await settle();
    const counts = await runtime.countExecutions();
    const running = counts.running + counts.resting;
    if (running === 0 && clock.sleeping >= atRest) return;
    const now = `${running} ${clock.sleeping} ${model.open}`;
    if (now !== before || model.open > 0) quiet = 0;
    before = now;
  }
}
