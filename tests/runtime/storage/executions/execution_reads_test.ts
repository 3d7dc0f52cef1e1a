import assert from "node:assert/strict";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { openInstance } from "../../../../runtime/database/instances.ts";
import { selectUsage } from "../../../../runtime/storage/executions/usage.ts";
import { SqlExecutionReads } from "../../../../runtime/storage/executions/execution_reads.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { onPostgres, onSqlite } from "../../../support/test_database.ts";

Deno.test("SqlExecutionReads.listExecutions() finds executions by text, trigger and time", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const begin = async (message: string | undefined, startedAt: number, trigger?: "schedule") => {
    const request = { args: [], ...(message !== undefined && { message }) };
    return await store.accept({ request, startedAt, ...(trigger && { trigger }) });
  };
  const one = await begin('Where is "the invoice"?', 1_000);
  const two = await begin(undefined, 2_000, "schedule");
  const three = await begin("Nothing of it", 3_000);
  const end = (execution: typeof one, output: string | null, error: string | null) =>
    new Journal(execution, { ...store, clock })
      .finish({ status: error === null ? "success" : "error", error, output });
  await end(two, `Der Betrag: 100 % für Müller. ${"x".repeat(1_000)} far away`, null);
  await end(three, null, "The endpoint refused the key");
  const find = async (filter: object) =>
    (await store.executions.listExecutions({ limit: 10, offset: 0, ...filter }))
      .map(({ id }) => id);
  assert.deepEqual(await find({ text: "INVOICE" }), [one.id]);
  assert.deepEqual(await find({ text: '"the invoice"' }), [one.id]);
  assert.deepEqual(await find({ text: "100 % für müller" }), [two.id]);
  assert.deepEqual(await find({ text: "the" }), [three.id, one.id]);
  assert.deepEqual(await find({ text: "the", limit: 1, offset: 1 }), [one.id]);
  // The list contains more values than a statement may have parameters.
  const statuses = Array<"error">(40_000).fill("error");
  assert.deepEqual(await find({ text: "the", statuses }), [three.id]);
  assert.deepEqual(await find({ text: "invoice OR key" }), []);
  assert.deepEqual(await find({ text: "far away" }), []);
  // The search reads the tool results of the page's executions only. The result has special characters.
  const payload = JSON.stringify({ content: 'A "quoted"\nline, 100 %_\\', tool_name: "file_read" });
  const insert = "INSERT INTO frames (execution_id, event, payload) VALUES (?, 'tool_result', ?)";
  await store.run(insert, two.id, payload);
  for (const text of ['"QUOTED"\nline', "%_\\", "100 %"]) {
    assert.deepEqual(await find({ text, searchesResults: true }), [two.id], text);
  }
  for (const text of ["A _quoted", "tool_name", "file_read"]) {
    assert.deepEqual(await find({ text, searchesResults: true }), [], text);
  }
  assert.deepEqual(await find({ text: "quoted", searchesResults: true, limit: 1 }), []);
  assert.deepEqual(await find({ trigger: "schedule" }), [two.id]);
  assert.deepEqual(await find({ since: 2_000 }), [three.id, two.id]);
  assert.deepEqual(await find({ since: 1_000, until: 3_000 }), [two.id, one.id]);
  const [found] = await store.executions.listExecutions({
    limit: 1,
    offset: 0,
    text: "invoice",
    preview: true,
  });
  assert.deepEqual(found?.preview, { asked: 'Where is "the invoice"?', answered: null });
  await store.run("DELETE FROM executions WHERE id = ?", one.id);
  assert.deepEqual(await find({ text: "invoice" }), []);
});

onSqlite.test("listExecutions() finds the texts of any number of new executions, and of later answers", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const find = async (text: string) =>
    (await store.executions.listExecutions({ text, limit: 1_000, offset: 0 })).map(({ id }) => id);
  const open = await store.accept({ request: { args: [], message: "a question" } });
  await find("question");
  for (let n = 0; n < 450; n++) await store.accept({ request: { args: [], message: "many" } });
  assert.equal((await find("many")).length, 450);
  assert.deepEqual(await find("question"), [open.id]);
  assert.deepEqual(await find("late answer"), []);
  await new Journal(open, { ...store, clock })
    .finish({ status: "success", error: null, output: "The late answer" });
  assert.deepEqual(await find("late answer"), [open.id]);
  assert.deepEqual(await find("question"), [open.id]);
});

onSqlite.test("a database that is open for reading only finds texts that its index does not have", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("says", [{ say: "The invoice is paid." }]);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "says", { message: "Where is the bill?" });
  await using db = await place.openDatabase({ readOnly: true });
  const reads = new SqlExecutionReads(db);
  const find = async (text: string, searchesAnswersOnly: boolean) =>
    (await reads.listExecutions({ text, searchesAnswersOnly, limit: 9, offset: 0 })).map(({ id }) =>
      id
    );
  for (const isIndexed of [false, true]) {
    if (isIndexed) await runtime.listExecutions({ text: "invoice", limit: 1, offset: 0 });
    assert.deepEqual(await find("INVOICE", true), [id]);
    assert.deepEqual(await find("the bill", false), [id]);
    assert.deepEqual([await find("the bill", true), await find("nothing", false)], [[], []]);
  }
});

onSqlite.test("listExecutions() and selectUsage() use an index for every filter", async () => {
  await using store = await openTestStore();
  await store.accept();
  const plans: string[] = [];
  const all = store.sqlite().all.bind(store.sqlite());
  Object.assign(store.db, {
    all(sql: string, ...values: never[]) {
      const plan = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      plans.push(plan.map(({ detail }) => detail).join("; "));
      return all(sql, ...values);
    },
  });
  const cases = [
    { text: "invoice" },
    { text: "invoice", since: 1 },
    { since: 1, until: 2 },
    { trigger: "schedule" },
    { agentId: "daily", since: 1 },
    { parentId: 5 },
  ] as const;
  for (const filter of cases) {
    await store.executions.listExecutions({ limit: 10, offset: 0, ...filter });
  }
  await store.db.read(() => selectUsage(5));
  assert.equal(plans.length, 8);
  for (const plan of plans) {
    assert.match(plan, /USING (INTEGER PRIMARY KEY|(COVERING )?INDEX)/, plan);
    assert.doesNotMatch(plan, /SCAN executions(;|$)/, plan);
  }
});

Deno.test("SqlExecutionReads.readSpan() counts executions, sums costs, and lists failures by agent", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const end = async (agentId: string, startedAt: number, error: string | null) => {
    const execution = await store.accept({ agentId, startedAt });
    await new Journal(execution, { ...store, clock })
      .finish({ status: error === null ? "success" : "aborted", error, output: null });
    await store.run("UPDATE executions SET cost_usd = 0.1 WHERE id = ?", execution.id);
    return execution.id;
  };
  await end("early", 999, "x");
  await end("daily", 1_000, "first");
  const last = await end("daily", 1_500, "last");
  await end("daily", 1_600, "Cancelled by user");
  await end("weekly", 1_700, null);
  await end("late", 2_000, "x");
  await store.accept({ agentId: "open", startedAt: 1_800 });
  const resting = await store.accept({ agentId: "open", startedAt: 1_900 });
  await store.run("UPDATE executions SET rests_until = 9000 WHERE id = ?", resting.id);
  const span = { since: 1_000, until: 2_000 };
  const failures = [{ agentId: "daily", count: 2, lastId: last, lastError: "last" }];
  const counts = { aborted: 3, success: 1, running: 1, resting: 1 };
  assert.deepEqual(await store.executions.readSpan(span), { counts, costUsd: 0.4, failures });
  assert.deepEqual(
    await store.executions.readSpan({ ...span, agentIds: ["weekly", "open", "early"] }),
    { counts: { success: 1, running: 1, resting: 1 }, costUsd: 0.1, failures: [] },
  );
  assert.deepEqual(Object.fromEntries(await store.executions.countOutcomes(1_500)), {
    daily: { ended: 2, succeeded: 0 },
    late: { ended: 1, succeeded: 0 },
    open: { ended: 0, succeeded: 0 },
    weekly: { ended: 1, succeeded: 1 },
  });
  assert.equal(await store.executions.readSpanCost({ since: 0, until: 1 }), null);
});

Deno.test("SqlExecutionReads.readDowntimes() returns gaps of over a minute, also after a kill", async () => {
  await using store = await openTestStore();
  const start = (id: string, startedAt: number) =>
    store.db.change("power", () => openInstance({ id, pid: 1, startedAt }));
  await store.run("UPDATE instances SET started_at = 0, stopped_at = 60000");
  await start("two", 120_000);
  await start("three", 180_000);
  await store.run("UPDATE instances SET stopped_at = 300000 WHERE id = 'three'");
  await start("restarted", 359_999);
  const read = (since: number, until: number) => store.executions.readDowntimes({ since, until });
  const killed = { from: null, to: 180_000 };
  assert.deepEqual(await read(0, 900_000), [{ from: 60_000, to: 120_000 }, killed]);
  assert.deepEqual(await read(120_000, 900_000), [killed]);
  assert.deepEqual(await read(180_000, 900_000), []);
});

onPostgres.test("SqlExecutionReads.readDowntimes() returns the gaps in which no machine ran", async () => {
  await using store = await openTestStore();
  const now = Date.now();
  const life = (id: string, from: number, to: number | null, seen: number) =>
    store.run(
      "INSERT INTO instances (id, pid, started_at, stopped_at, last_seen) VALUES (?, 1, ?, ?, ?)",
      ...[id, from, to, seen],
    );
  await store.run("UPDATE instances SET started_at = 0, stopped_at = 100000");
  await life("beside it", 50_000, 200_000, 200_000);
  await life("killed", 400_000, null, 600_000);
  await life("lives", 700_000, null, now);
  await life("later", 800_000, 900_000, 900_000);
  const read = (since: number) => store.executions.readDowntimes({ since, until: now });
  assert.deepEqual(await read(0), [{ from: 200_000, to: 400_000 }, { from: 600_000, to: 700_000 }]);
});

Deno.test("SqlExecutionReads.newestByAgent() returns each agent's last accepted execution", async () => {
  await using store = await openTestStore();
  const parentExecutionId = (await store.accept()).id;
  const newest = async () => (await store.executions.newestByAgent(["a", "never"])).get("a")?.id;
  assert.equal(await newest(), undefined);
  const cases = [
    { trigger: "manual" },
    { trigger: "agent", parentExecutionId, parentPosition: 1 },
    { trigger: "schedule" },
    { trigger: "chat", sessionId: "s" },
    { trigger: "watch", startedAt: 1 },
  ] as const;
  for (const changes of cases) {
    const { id } = await store.accept({ agentId: "a", ...changes });
    assert.equal(await newest(), id, changes.trigger);
  }
});
