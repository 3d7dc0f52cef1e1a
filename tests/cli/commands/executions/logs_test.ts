import assert from "node:assert/strict";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import { NotResting } from "../../../../runtime/executions/refusals.ts";
import { EXECUTION_TRIGGERS } from "../../../../runtime/vocabulary/trigger_kinds.ts";
import { fakePlan } from "../../../support/fake_plan.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { until } from "../../../support/until.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";

const shows = picturesOf(import.meta.url);

function addHistory(cli: FakeCli): void {
  const { runtime } = cli;
  runtime.addAgent(fakeAgent("daily"));
  runtime.addExecution({
    agentId: "daily",
    status: "success",
    durationMs: 3_210,
    totalTokens: 1_234,
    costUsd: 0.0012,
  });
  runtime.addExecution({ agentId: "daily", status: "aborted", durationMs: 80 });
  runtime.addExecution({ agentId: "daily" });
}

Deno.test("logs shows the labels that an execution waits for, in the list and with -e", async (t) => {
  await using cli = await createFakeCli();
  addHistory(cli);
  cli.runtime.addExecution({ agentId: "daily", waitsForLabels: ["gpu"] });
  await shows(t, cli, "logs", "daily");
  await shows(t, cli, "logs", "-e", "4");
});

Deno.test("list, logs, why and show print a retry and a rest with time and reason until the run continues", async () => {
  const at = new Date(2026, 0, 2, 8, 10).getTime();
  const retry = { at, attempt: 2, of: 3, reason: "Cannot reach openai" };
  const rest = { until: at, since: 0, reason: "the backup" };
  const ended = { ended: { at: 1, by: "time" as const } };
  const pauses: [now: Partial<Execution>, later: Partial<Execution>, RegExp][] = [
    [
      { retry },
      { retry: { ...retry, isUnderWay: true } },
      /ries again at 08:10 \(2 of 3\): Cannot reach openai/,
    ],
    [{ rest }, { rest: { ...rest, ...ended } }, /[Rr]ests until Fri (2026-01-02 )?08:10 · the b/],
  ];
  for (const [now, later, shown] of pauses) {
    await using cli = await createFakeCli();
    const { runtime } = cli;
    runtime.addAgent(fakeAgent("daily"));
    runtime.plans.set("daily", fakePlan());
    const execution = runtime.addExecution({ agentId: "daily" });
    const listing = await runtime.getAgent("daily");
    for (const state of [now, later]) {
      const lastExecution = { ...execution, ...state };
      runtime.executions.set(1, lastExecution);
      runtime.agents.set("daily", { ...listing, lastExecution });
      const others = ["logs daily", "logs -e 1", "why daily", "show daily"];
      // The table of `list` has no room for a retry.
      for (const line of "rest" in state ? ["list", ...others] : others) {
        cli.stdout.text = cli.stderr.text = "";
        assert.equal(await cli.run(...line.split(" ")), 0, cli.stderr.text);
        const text = cli.stdout.text + cli.stderr.text;
        assert.equal(shown.test(text), state === now, `${line}: ${text}`);
        const isHinted = state === now && /-e|why/.test(line);
        assert.equal(text.includes("inkling wake 1"), isHinted, line);
        if (line === "logs daily") assert.ok(!text.includes("Fri 2026"), text);
      }
    }
  }
});

Deno.test("wake ends a rest and says so, and fails for an execution that does not rest", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addExecution({ agentId: "daily" });
  assert.equal(await cli.run("wake", "1"), 0);
  assert.match(cli.stdout.text, /Execution 1 of daily continues/);
  cli.runtime.wake = () =>
    Promise.reject(new NotResting({ id: 1, status: "running", finishedAt: null }, 0));
  assert.equal(await cli.run("wake", "1"), 1);
  assert.match(cli.stderr.text, /Execution 1 is running; it does not rest/);
  assert.notEqual(await cli.run("wake", "9"), 0);
});

Deno.test("logs shows every skipped time since the oldest listed execution", async () => {
  await using cli = await createFakeCli();
  const { runtime, clock } = cli;
  runtime.addAgent(fakeAgent("slow"));
  const minutesAgo = (minutes: number) => clock.now() - minutes * 60_000;
  const slot = { agentId: "slow", executionId: null, reason: "it still runs", count: 1 };
  for (let i = 5; i > 0; i--) {
    runtime.addExecution({ agentId: "slow", startedAt: minutesAgo(300 * i) });
  }
  // The agent runs at every fifth due time, which blocks the four others. The store returns the newest slots first.
  for (let minutes = 60; minutes <= 1_800; minutes++) {
    const ran = minutes % 300 === 0;
    const outcome = ran ? "run" as const : "skipped" as const;
    runtime.slots.push({ ...slot, scheduledFor: minutesAgo(minutes), outcome });
  }
  const skipped = async (last: number) => {
    cli.stdout.text = "";
    assert.equal(await cli.run("logs", "slow", "-n", String(last)), 0);
    return cli.stdout.text.split("\n").filter((line) => line.includes("  skipped  ")).length;
  };
  // The skipped times from an hour ago back to the last listed execution.
  assert.equal(await skipped(1), 300 - 60);
  assert.equal(await skipped(4), 1_200 - 60 - 3);
  assert.equal(await skipped(5), 1_500 - 60 - 4);
});

Deno.test("logs -n counts the skipped times of an agent that never ran", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("slow"));
  for (let minutes = 0; minutes < 700; minutes++) {
    cli.runtime.slots.push({
      agentId: "slow",
      scheduledFor: cli.clock.now() - minutes * 60_000,
      outcome: minutes % 2 === 0 ? "run" : "missed",
      reason: null,
      executionId: null,
      count: 1,
    });
  }
  for (const [last, shown] of [[3, 3], [320, 320], [600, 350]] as const) {
    cli.stdout.text = "";
    assert.equal(await cli.run("logs", "slow", "-n", String(last)), 0);
    assert.equal(cli.stdout.text.trimEnd().split("\n").length, shown + 1);
  }
});

Deno.test("logs -n reads the newest executions across pages", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  for (let i = 0; i < 1_100; i++) cli.runtime.addExecution({ agentId: "daily", status: "success" });
  for (const [count, found] of [[2, 2], [501, 501], [5_000, 1_100]] as const) {
    cli.stdout.text = "";
    assert.equal(await cli.run("logs", "daily", "-n", String(count), "--json"), 0);
    const ids = JSON.parse(cli.stdout.text).map(({ id }: { id: number }) => id);
    assert.deepEqual(ids, Array.from({ length: found }, (_, i) => 1_100 - i));
  }
});

Deno.test("logs -e accepts an agent's accents in both Unicode forms", async (t) => {
  await using cli = await createFakeCli();
  const { runtime } = cli;
  runtime.addExecution({ agentId: "café au lait".normalize("NFC") });
  for (const content of ["a", "b", "c"]) runtime.append(1, "ai", { content });
  await shows(t, cli, "logs", "café au lait".normalize("NFD"), "-e", "1", "-n", "2", "--json");
  await shows(t, cli, "logs", "thé".normalize("NFD"), "-e", "1");
});

Deno.test("logs with an empty id lists nothing", async () => {
  await using cli = await createFakeCli();
  addHistory(cli);
  assert.equal(await cli.run("logs", ""), 2);
  assert.deepEqual([cli.stdout.text, /There is no agent ""/.test(cli.stderr.text)], ["", true]);
});

Deno.test("logs without an agent lists the executions of all agents", async (t) => {
  await using cli = await createFakeCli();
  const { runtime } = cli;
  const start = cli.clock.now();
  runtime.addExecution({ agentId: "daily", startedAt: start, outputData: "The invoice is paid." });
  runtime.addExecution({
    agentId: "weekly",
    startedAt: start + 60_000,
    status: "error",
    error: "No key",
    trigger: "schedule",
  });
  await cli.clock.advance(3_600_000);
  const idsOf = async (...argv: string[]) => {
    cli.stdout.text = "";
    assert.equal(await cli.run("logs", ...argv, "--json"), 0, argv.join(" "));
    return JSON.parse(cli.stdout.text).map(({ id }: { id: number }) => id);
  };
  await shows(t, cli, "logs");
  assert.deepEqual(await idsOf("--search", "invoice"), [1]);
  assert.deepEqual(await idsOf("--status", "error"), [2]);
  assert.deepEqual(await idsOf("--status", "failed"), [2]);
  for (const kind of EXECUTION_TRIGGERS) {
    const started = { schedule: [2], manual: [1] }[String(kind)] ?? [];
    assert.deepEqual(await idsOf("--trigger", kind), started);
  }
  assert.deepEqual(await idsOf("--since", "59m30s"), [2]);
  assert.deepEqual(await idsOf("--until", "59m30s"), [1]);
  assert.deepEqual(await idsOf("daily", "--since", "2h"), [1]);
  await shows(t, cli, "logs", "--since", "1m");
});

Deno.test("logs --search also finds tool results, and reports the searched range", async () => {
  await using cli = await createFakeCli();
  const { runtime } = cli;
  const search = async (...argv: string[]) => {
    cli.stdout.text = cli.stderr.text = "";
    assert.equal(await cli.run("logs", "--search", "invoice", ...argv), 0);
    const ids = [...cli.stdout.text.matchAll(/^ *(\d+) {2}daily /gm)].map(([, id]) => Number(id));
    return [ids, cli.stderr.text.replaceAll(/\s+/g, " ")];
  };
  runtime.addExecution({ agentId: "daily", outputData: "The invoice is paid." });
  runtime.addExecution({ agentId: "daily" });
  runtime.append(2, "tool_result", { content: "invoice.pdf" });
  const [few, all] = await search();
  assert.deepEqual(few, [2, 1]);
  assert.match(String(all), /^Searched messages, .* and all tool results /);
  while (runtime.executions.size < 1_005) runtime.addExecution({ agentId: "daily" });
  const [many, part] = await search();
  assert.deepEqual(many, [1], "the index goes back to the beginning, the results do not");
  assert.match(
    String(part),
    /tool results of the last 1,000 executions, back to 20\S+ \S+\. Use --since/,
  );
});

Deno.test("logs -f shows the end of the service's log and new lines, until Ctrl+C", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { logFile } = await cli.app.places();
  await Deno.writeTextFile(logFile, "one\ntwo\nthree\nfo");
  const code = cli.run("logs", "-f", "-n", "2");
  await until(() => cli.stdout.text.includes("three"), "the end is shown");
  await Deno.writeTextFile(logFile, "ur\n\u001b[31mfive\n", { append: true });
  await cli.clock.advance(300);
  await until(() => cli.stdout.text.includes("five"), "the new lines are shown");
  cli.interrupt();
  assert.equal(await code, 130);
  assert.equal(cli.stdout.text, "two\nthree\nfour\nfive\n");
});

Deno.test("logs -f follows the log across its rotation, and waits for a missing log", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { logFile } = await cli.app.places();
  const code = cli.run("logs", "-f");
  await until(() => cli.stderr.text !== "", "the missing log is told");
  await Deno.writeTextFile(logFile, "one\n");
  await cli.clock.advance(300);
  await until(() => cli.stdout.text.includes("one"), "the first line is shown");
  await Deno.writeTextFile(logFile, "two\n", { append: true });
  await Deno.rename(logFile, `${logFile}.1`);
  await Deno.writeTextFile(logFile, "three\n");
  for (let i = 0; i < 4; i++) await cli.clock.advance(300);
  await until(() => cli.stdout.text.includes("three"), "the new file is shown");
  cli.interrupt();
  assert.equal(await code, 130);
  assert.equal(cli.stdout.text, "one\ntwo\nthree\n");
});
