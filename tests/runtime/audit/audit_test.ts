// Tests the audit of one database: records, filters, changes of files, and the end of records.
import assert from "node:assert/strict";
import { DAY_MS } from "../../../base/time_units.ts";
import { SqlAudit } from "../../../runtime/audit/audit.ts";
import { openTestDatabase } from "../../support/test_database.ts";

const ANNA = { via: "page", name: "anna", address: "10.0.0.7" } as const;

async function openAudit() {
  const db = await openTestDatabase();
  const state = { now: 1_000, days: 10 as number | null };
  const open = () => new SqlAudit(db, { clock: { now: () => state.now }, days: () => state.days });
  const audit = open();
  const shown = async (one = audit) =>
    (await one.listRecords({ limit: 50 })).map(({ action, via, name, file, isDone }) =>
      [action, via, name, file, isDone] as const
    );
  return {
    audit,
    state,
    reopen: open,
    shown,
    // SQLite closes at once, PostgreSQL later.
    [Symbol.asyncDispose]: async () =>
      await (db as AsyncDisposable)[Symbol.asyncDispose]?.() ??
        (db as Disposable)[Symbol.dispose]?.(),
  };
}

Deno.test("a record has the time, the person, the address and the channel; filters select records", async () => {
  await using world = await openAudit();
  const { audit, state } = world;
  await audit.record("pause", ANNA, { detail: { note: "x" } });
  state.now = 2_000;
  await audit.record("cancel", { via: "terminal", name: "ben" }, { agentId: "a", executionId: 7 });
  await audit.record("cancel", undefined, { agentId: "a" });
  const all = await audit.listRecords({ limit: 50 });
  const { id: first, ...pause } = all[1]!;
  assert.deepEqual(pause, {
    at: 1_000,
    action: "pause",
    via: "page",
    name: "anna",
    address: "10.0.0.7",
    agentId: null,
    executionId: null,
    file: null,
    isDone: true,
    detail: { note: "x" },
  });
  assert.deepEqual([all[0]!.executionId, all[0]!.agentId, all.length], [7, "a", 2]);
  const found = async (filter: object) =>
    (await audit.listRecords({ ...filter, limit: 50 })).map(({ action }) => action);
  assert.deepEqual(await found({ name: "ben" }), ["cancel"]);
  assert.deepEqual(await found({ via: "page" }), ["pause"]);
  assert.deepEqual(await found({ actions: ["pause", "start"] }), ["pause"]);
  assert.deepEqual(await found({ agentIds: ["b", "a"] }), ["cancel"]);
  assert.deepEqual(await found({ executionId: 7 }), ["cancel"]);
  assert.deepEqual(await found({ since: 1_500 }), ["cancel"]);
  assert.deepEqual(await found({ until: 2_000 }), ["pause"]);
  assert.deepEqual(await found({ before: all[0]!.id }), ["pause"]);
  assert.deepEqual(await found({ before: first }), []);
});

Deno.test("a record is removed at its own end: a shorter retention holds only for later records", async () => {
  await using world = await openAudit();
  const { audit, state } = world;
  await audit.record("pause", ANNA);
  state.days = 1;
  await audit.record("resume", ANNA);
  state.days = null;
  await audit.record("purge", ANNA);
  state.days = 1;
  state.now += 2 * DAY_MS;
  assert.equal(await audit.sweep(), 1);
  assert.deepEqual((await world.shown()).map(([action]) => action), ["purge", "pause"]);
  state.now += 9 * DAY_MS;
  assert.equal(await audit.sweep(), 1);
  state.now += 9_000 * DAY_MS;
  assert.equal(await audit.sweep(), 0);
  assert.deepEqual((await world.shown()).map(([action]) => action), ["purge"]);
});

Deno.test("a change of a file is recorded before it is made; one that fails or is killed stays not done", async () => {
  await using world = await openAudit();
  const { audit, shown } = world;
  const file = "/agents/a.md";
  const during: unknown[] = [];
  const result = await audit.changeFile(ANNA, { file, text: "one", agentId: "a" }, async () => {
    during.push(...await shown());
    return "written";
  });
  assert.equal(result, "written");
  assert.deepEqual(during, [["edit_file", "page", "anna", file, false]]);
  assert.deepEqual(await shown(), [["edit_file", "page", "anna", file, true]]);
  await assert.rejects(
    audit.changeFile(ANNA, { file, text: "two" }, () => Promise.reject(new Error("full"))),
    /full/,
  );
  assert.deepEqual((await shown()).map((one) => one[4]), [false, true]);
  const [failed, done] = await audit.listRecords({ file, limit: 5 });
  assert.equal(await audit.readTextBefore(failed!), "one");
  assert.equal(await audit.readTextBefore(done!), undefined);
});

Deno.test("changes on the disk are recorded once, also those from before a restart; own changes are not repeated", async () => {
  await using world = await openAudit();
  const { audit, shown, reopen } = world;
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
  const [one, two, three] = [await digest("one"), await digest("two"), await digest("three")];
  const file = "/agents/a.md";
  const see = (on: SqlAudit, hash: string | undefined) =>
    on.checkFiles(
      [{ file, digest: hash, agentId: "a", readText: () => Promise.resolve("text") }],
      "/agents",
    );
  await see(audit, one);
  await see(audit, one);
  assert.deepEqual(await shown(), [["edit_file", "disk", null, file, true]]);
  await see(reopen(), one);
  await audit.changeFile(ANNA, { file, text: "two" }, () => see(audit, two));
  await see(audit, two);
  await see(reopen(), two);
  assert.deepEqual((await shown()).map(([, via]) => via), ["page", "disk"]);
  // A file that cannot be read now is not gone.
  await see(audit, undefined);
  await see(reopen(), three);
  assert.deepEqual((await shown()).map(([, via]) => via), ["disk", "page", "disk"]);
  const later = reopen();
  await later.checkFiles([], "/agents");
  await later.checkFiles([], "/agents");
  const [removed, changed] = await audit.listRecords({ file, limit: 9 });
  assert.equal((await shown()).length, 4);
  assert.equal(await audit.readTextBefore(removed!), "text");
  assert.equal(await audit.readTextBefore(changed!), "two");
});

Deno.test("a change whose process was killed after the write is done when the file is seen", async () => {
  await using world = await openAudit();
  const { audit, shown, reopen } = world;
  const digest = "5d7b61fb1ac2b1b1c9ea2f5cc7bd6a6bba3c2ac8";
  const file = "/agents/a.md";
  const plan = { file, text: "written", agentId: "a" };
  await assert.rejects(audit.changeFile(ANNA, plan, () => Promise.reject(new Error("killed"))));
  await reopen().checkFiles([{ file, digest }]);
  assert.deepEqual((await shown()).map((one) => [one[1], one[4]]), [["disk", true], [
    "page",
    false,
  ]]);
  const hash = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode("again")),
  ).toHex();
  await assert.rejects(
    audit.changeFile(ANNA, { file, text: "again" }, () => Promise.reject(new Error("killed"))),
  );
  await reopen().checkFiles([{ file, digest: hash }]);
  assert.deepEqual((await shown()).map((one) => [one[1], one[4]])[0], ["page", true]);
});
