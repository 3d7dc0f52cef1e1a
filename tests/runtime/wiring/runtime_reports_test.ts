// Tests the reports of a whole runtime: usage by day, service log, next due times.
import assert from "node:assert/strict";
import { insertSlot } from "../../../runtime/triggers/schedule/slots.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { TestClock } from "../../support/test_clock.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");

Deno.test("Runtime returns and logs executions without secrets, and no search finds a part of one", async () => {
  const key = ["-----BEGIN PEM-----", "0123456789", "abcdefghij", "-----END PEM-----"].join("\n");
  const shell = { MY_TOKEN: "tok-12345678", SIGNING_KEY: key };
  await using world = await createTestWorkspace({ shell });
  await world.writeScript("writer", [{ say: "Sent to tok-1 as asked" }]);
  await using runtime = await world.open();
  await runToEnd(runtime, "writer", { message: "Use the key tok-12345678 for the invoices" });
  await runToEnd(runtime, "writer", { message: "Nothing" });
  const find = async (text: string) =>
    (await runtime.listExecutions({ text, limit: 10, offset: 0 })).map(({ id }) => id);
  assert.deepEqual(await find("invoices"), [1]);
  assert.deepEqual(await find("the key"), [1]);
  // Matches of these searches would reveal the secret, character by character.
  for (const guess of ["tok-12345678", "key tok-12", "KEY TOK-12", "45678 for"]) {
    assert.deepEqual(await find(guess), [], guess);
  }
  // Answers are stored without secrets, so a search in answers reveals none.
  assert.deepEqual(await find("tok-1"), [2, 1]);

  await world.writeScript("lead", [
    { call: [{ name: "run_agent", arguments: { agent_id: "echo", arguments: ["tok-12345678"] } }] },
    { say: "Done." },
  ], "agents: [echo]");
  await world.writeScript("echo", [{ say: "Done." }]);
  await runToEnd(runtime, "lead", { sessionId: "of tok-12345678" });
  const page = { limit: 9, offset: 0 };
  const [child] = await runtime.listRuns("echo", page);
  const [lead] = await runtime.listRuns("lead", page);
  const redacted = [["[redacted:MY_TOKEN]"], "of [redacted:MY_TOKEN]"];
  assert.deepEqual([child?.args, lead?.sessionId], redacted);
  const told = [
    await runtime.listExecutions(page),
    await runtime.getExecution(child?.id ?? 0),
    await runtime.getExecution(lead?.id ?? 0),
    await runtime.getAgent("echo"),
    (await runtime.listAgents()).map(({ lastExecution }) => lastExecution),
    await runtime.run("echo", { args: ["tok-12345678"] }),
    await payloadsOf(runtime, child?.id ?? 0),
  ];
  assert.ok(!JSON.stringify(told).includes("tok-12345678"));
  // A conversation is found by the session id that its caller uses, although the id contains a secret.
  const request = { sessionId: "of tok-12345678", idempotencyKey: "k" };
  const again = await runToEnd(runtime, "lead", request);
  assert.equal((await runtime.run("lead", request)).id, again.id);

  const lines = `first: tok-12345678 refused\nuncaught: ${key} refused\nlast\n`;
  await Deno.writeTextFile(runtime.directories.logFile, lines);
  const log = [
    "first: [redacted:MY_TOKEN] refused",
    "uncaught: [redacted:SIGNING_KEY] refused",
    "last",
  ];
  assert.deepEqual(await runtime.readLog({ lines: 10 }), log);
  assert.deepEqual(await runtime.readLog({ lines: 2 }), log.slice(1));
});

Deno.test("Runtime returns the next due times, a page of past ones, and the usage", async () => {
  await using world = await createTestWorkspace();
  const lines = 'trigger: { type: schedule, cron: "0 * * * *", timezone: UTC }';
  await world.writeScript("hourly", [{ say: "x" }], lines);
  await world.writeScript("watcher", [{ say: "x" }], "trigger: { type: watch, paths: [in] }");
  await using runtime = await world.open({ clock: new TestClock(NOW) });
  const [hourly, watcher] = (await runtime.scheduler({ upcoming: 3 })).jobs;
  const hour = 3_600_000;
  assert.deepEqual(hourly?.upcoming, [NOW + hour, NOW + 2 * hour, NOW + 3 * hour]);
  assert.equal(hourly?.nextRun, NOW + hour);
  assert.deepEqual(watcher?.upcoming, []);
  assert.deepEqual((await runtime.scheduler()).jobs[0]?.upcoming, []);

  await world.writeScript("daily", [{ say: "x" }]);
  const slot = {
    agentId: "daily",
    outcome: "run",
    reason: null,
    executionId: null,
    count: 1,
  } as const;
  {
    await using db = await world.openDatabase();
    for (let n = 1; n <= 5; n++) {
      await db.change("power", () => insertSlot({ ...slot, scheduledFor: NOW + n }));
    }
  }
  const page = async (limit: number, offset: number) =>
    (await runtime.listSlots("daily", { limit, offset })).map((one) => one.scheduledFor - NOW);
  assert.deepEqual(await page(2, 0), [5, 4]);
  assert.deepEqual(await page(2, 2), [3, 2]);
  assert.deepEqual(await page(50, 4), [1]);

  const steps = [{ say: "Done", usage: { input: 120, output: 30 }, cost_usd: 0.25 }];
  await world.writeScript("writer", steps);
  for (const _ of [1, 2]) await runToEnd(runtime, "writer");
  const { days, entries } = await runtime.usage({ days: 3, timeZone: "UTC" });
  assert.equal(days.length, 3);
  const [used, ...none] = entries;
  assert.deepEqual(
    [used?.agentId, used?.executions, used?.succeeded, used?.totalTokens, used?.costUsd, none],
    ["writer", 2, 2, 300, 0.5, []],
  );
});

Deno.test("a service uses the zone in TZ, and logs an invalid TZ at its start", async () => {
  const nextRun = async (tz: string) => {
    await using world = await createTestWorkspace({ shell: { TZ: tz } });
    const trigger = 'trigger: { type: schedule, cron: "30 8 * * *" }';
    await world.writeScript("daily", [{ say: "x" }], trigger);
    await using runtime = await world.open({ clock: new TestClock(NOW) });
    const { nextRun } = await runtime.getAgent("daily");
    const warned = world.logged.filter(({ message }) => message.startsWith("TZ "));
    return { nextRun: new Date(nextRun ?? NaN).toISOString(), warned };
  };
  const hint = "set TZ to a name such as Europe/Berlin, then start the service again";
  const message = "TZ is not a known time zone: local times are UTC";
  assert.deepEqual(await nextRun("UTC+3"), {
    nextRun: "2026-03-11T08:30:00.000Z",
    warned: [{ level: "warn", message, fields: { tz: "UTC+3", hint } }],
  });
  const expected = { nextRun: "2026-03-10T23:30:00.000Z", warned: [] };
  assert.deepEqual(await nextRun("Asia/Tokyo"), expected);
});

Deno.test("a service without its workspace logs that, and works once the workspace exists", async () => {
  await using world = await createTestWorkspace();
  await Deno.remove(world.workspace, { recursive: true });
  {
    await using _runtime = await world.open();
    const [warned] = world.logged.filter(({ level }) => level === "warn");
    const hint = `create the folder, or name another folder in ${world.configDir}/config.yaml`;
    const message = "The workspace does not exist: there are no agents until it does";
    const workspace = world.workspace;
    assert.deepEqual(warned, { level: "warn", message, fields: { workspace, hint } });
  }
  await Deno.mkdir(world.agentsDir, { recursive: true });
  world.logged.length = 0;
  await using _runtime = await world.open();
  assert.deepEqual(world.logged.filter(({ level }) => level === "warn"), []);
});

const TOKEN = "sk-live-0123456789abcdef";

Deno.test("the preview of a message ends with no part of a secret", async () => {
  await using world = await createTestWorkspace({ shell: { MY_TOKEN: "tok-12345678" } });
  await world.writeScript("writer", [{ say: "Done." }]);
  await using runtime = await world.open();
  for (const first of ["a", "\u{1F600}"]) {
    const text = first + "a".repeat(390);
    await runToEnd(runtime, "writer", { message: `${text} tok-12345678 and more` });
    const [shown] = await runtime.listExecutions({ limit: 1, offset: 0, preview: true });
    assert.equal(shown?.preview?.asked, `${text} `);
  }
});

Deno.test("getExecution() returns the input, and reports if a secret was redacted in it", async () => {
  await using place = await createTestWorkspace({ shell: { SERVICE_TOKEN: TOKEN } });
  await place.writeScript("writer", [{ say: "Done." }]);
  await using runtime = await place.open();
  const asked = async (request: Parameters<typeof runtime.run>[1]) => {
    const { id } = await runToEnd(runtime, "writer", request);
    const { args, message, context, isRequestRedacted } = await runtime.getExecution(id);
    return { args, message, context, isRequestRedacted };
  };
  const expected = { args: ["a\nb"], message: "Do it", context: "Soon", isRequestRedacted: false };
  assert.deepEqual(await asked({ args: ["a\nb"], message: "Do it", context: "Soon" }), expected);
  const wanted = { args: [], message: null, context: null, isRequestRedacted: false };
  assert.deepEqual(await asked({}), wanted);
  const redacted = "[redacted:SERVICE_TOKEN]";
  for (const place of ["args", "message", "context"] as const) {
    const request = { [place]: place === "args" ? [`use ${TOKEN}`] : `use ${TOKEN}` };
    const shown = await asked(request);
    assert.equal(shown.isRequestRedacted, true, place);
    assert.equal([shown[place]].flat()[0], `use ${redacted}`);
  }

  for (const id of ["writer", "other"]) await place.writeScript(id, [{ say: "Done." }]);
  const sessions = ["one", "two", "one", undefined];
  for (const sessionId of sessions) {
    for (const id of ["writer", "other"]) {
      await runToEnd(runtime, id, { message: "Hello", ...(sessionId && { sessionId }) });
    }
  }
  const page = { limit: 10, offset: 0 };
  const ids = async (filter: object) =>
    (await runtime.listExecutions({ ...filter, ...page })).map(({ id }) => id);
  assert.deepEqual(await ids({ agentId: "writer", sessionId: "one" }), [10, 6]);
  assert.deepEqual(await ids({ sessionId: "two" }), [9, 8]);
  assert.deepEqual(await ids({ sessionId: "none" }), []);
});
