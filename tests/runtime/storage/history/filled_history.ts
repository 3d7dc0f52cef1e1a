// Creates a history with rows in every table, including special values. Reads complete histories for comparison.
import { ORDINARY_TABLES } from "../../../../runtime/storage/history/history_tables.ts";
import { SqlExecutionReads } from "../../../../runtime/storage/executions/execution_reads.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { ask, ending, reply, start, waitingFamily } from "../stored_situations.ts";

/** A text that PostgreSQL stores in many parts. */
const BIG = "0123456789".repeat(50 * 1024);

/** Texts that databases, drivers or terminals may treat specially. */
export const AWKWARD = [
  ...'it\'s|"quoted"|a\\b\\\\c|{1,"2",NULL}|NULL||\t\r\n|$1 ?1 ::text|\u001b[31m|é e\u0301 \u{1F600}'
    .split("|"),
  "\uFFFF\u2028\u202E",
  '{"lone":"\\ud800","nul":"\\u0000","spaces" : [ 1.0 , 1e3 ]}',
];

/** Creates a database file and fills it with the stores and with SQL. `large` is the largest text in it. */
export async function fillHistory(path: string, large = BIG): Promise<void> {
  await using store = await openTestStore({ path });
  const { child } = await waitingFamily(store);
  const request = { args: [], message: "Where are the invoices?" };
  const ended = await store.accept({ trigger: "chat", sessionId: "s", request }, "key");
  await store.endings.finishExecution(ended.id, {
    ...ending("running"),
    status: "success",
    error: null,
    output: `In the drawer. ${large}`,
  });
  // This execution has no message. In PostgreSQL its answer has a row in the search table nevertheless.
  const silent = await store.accept();
  await store.endings.finishExecution(silent.id, { ...ending("running"), error: "the stapler" });
  const running = await store.accept({ startedAt: 2_000 });
  await reply(store, running.id);
  await start(store, running.id, "unsafe");
  await ask(store, (await store.accept()).id);
  for (const [index, text] of AWKWARD.entries()) {
    await store.run("INSERT INTO settings (key, value) VALUES (?, ?)", `${index} ${text}`, text);
  }
  const last = await store.accept();
  await store.run("DELETE FROM executions WHERE id = ?", last.id);
  const statements: [string, ...(string | number | null)[]][] = [
    ["INSERT INTO instances (id, pid, started_at, stopped_at) VALUES (?, 2, 3, 4)", "0 before"],
    [
      "UPDATE executions SET cost_usd = ?, total_tokens = ? WHERE id = ?",
      0.1 + 0.2,
      2 ** 53 - 1,
      child,
    ],
    ["UPDATE executions SET cost_usd = ? WHERE id = ?", 5e-324, running.id],
    ["UPDATE executions SET cost_usd = 1e300 WHERE id = ?", silent.id],
    [
      "INSERT INTO frames (execution_id, event, payload) VALUES (?, 'message', ?)",
      running.id,
      large,
    ],
    ["INSERT INTO schedules VALUES ('a', 'f', -1, NULL)"],
    ["INSERT INTO slots VALUES ('a', 1, 'missed', 'asleep', NULL, 3)"],
    ["INSERT INTO slots VALUES ('a', 2, 'run', NULL, ?, 1)", running.id],
    ...["z", "a", "Z", "é", "\u{1F600}", "\uFFFD"].map((path, index) =>
      ["INSERT INTO watch_queue VALUES ('w', ?, 'created', ?)", path, -index] as [
        string,
        string,
        number,
      ]
    ),
    ["INSERT INTO watched_files VALUES ('w', 'z', 's', 'd')"],
    ["INSERT INTO trigger_states VALUES ('a', 3, 'p', 'it failed', 5)"],
    ["INSERT INTO watches VALUES ('w')"],
    ["INSERT INTO taken_mails VALUES ('m', 'home', 'INBOX', 1, 2, '<a@b>', 'a@b', 3)"],
    ["INSERT INTO mail_positions VALUES ('m', 'home', 'INBOX', 1, 2)"],
    ["INSERT INTO mcp_tools VALUES ('s', 't', ?)", '{ "b" : 1, "a" : 1.0 }'],
    ["INSERT INTO follow_ups VALUES ('f', ?)", ended.id],
    ["INSERT INTO reservations (agent_id, instance_id, at, nanos, tokens) VALUES ('a', 'i', 1, 2, 3)"],
    ["INSERT INTO spending VALUES ('agent:a', 1, 9007199254740993, 3)"],
    ["INSERT INTO budget_periods (scope, unit, period, start) VALUES ('agent:a', 'usd', 'day', 1)"],
    ["INSERT INTO budget_refusals VALUES ('a', 'agent:a', 'usd', 'day', 1, 2)"],
    [
      "INSERT INTO outbox (id, channel, kind, title, body, count, created_at, due_at) " +
      "VALUES ('o', 'c', 'k', 't', 'b', 1, 2, 3)",
    ],
    ["INSERT INTO answer_links VALUES ('h', ?, 4)", `of ${child}`],
    [
      "INSERT INTO audit (at, action, via, detail, file) VALUES (1, 'edit_file', 'disk', ?, '/a')",
      '{"b":1}',
    ],
    ["INSERT INTO chat_notes VALUES ('phone', 'run:1', '{\"sent\":0}', 5)"],
    ["INSERT INTO named_keys VALUES ('anna', 'd', 'viewer', '[\"a\"]', 1, NULL, 2)"],
    ["INSERT INTO call_terms VALUES ('d', ?)", '{"tools":[]}'],
    ["UPDATE messages SET terms = 'd'"],
    ["UPDATE tool_calls SET described = '[]', is_error = 1, duration_ms = 0"],
    // The rows with the highest ids are removed. Their ids must not be assigned again.
    ["DELETE FROM reservations"],
    ["INSERT INTO reservations (agent_id, instance_id, at, nanos, tokens) VALUES ('a', 'i', 1, 2, 3)"],
    ["INSERT INTO reservations (agent_id, instance_id, at, nanos, tokens) VALUES ('b', 'i', 1, 2, 3)"],
    ["DELETE FROM reservations WHERE agent_id = 'b'"],
    // After this step the order of insertion differs from the order of keys.
    ["DELETE FROM watch_queue WHERE path = 'a'"],
  ];
  for (const [sql, ...values] of statements) await store.run(sql, ...values);
}

/** Returns all rows of a database file. */
export function readAll(path: string): Record<string, unknown[]> {
  using db = SqliteDatabase.open(path, { readOnly: true });
  const rows = (sql: string) => [...db.each(sql)];
  const whole = (table: string) => {
    const columns = db.all<{ name: string }>(`PRAGMA table_info("${table}")`).map(({ name }) =>
      `typeof("${name}"), iif(typeof("${name}") = 'text', hex("${name}"), quote("${name}"))`
    );
    // The rowids of these tables are compared, too, because they define the order of the rows.
    if (["instances", "requests", "watch_queue"].includes(table)) columns.unshift("rowid");
    return rows(`SELECT ${columns.join(", ")} FROM "${table}"`).map((row) => row.join(" ")).sort();
  };
  return {
    ...Object.fromEntries(
      db.all<{ name: string }>(ORDINARY_TABLES).map(({ name }) => [name, whole(name)]),
    ),
    "the highest numbers": rows("SELECT name, seq FROM sqlite_sequence ORDER BY name"),
  };
}

/** Returns the ids of the executions that searches for words of fillHistory() find. */
export async function searchAll(path: string): Promise<Record<string, number[]>> {
  using db = SqliteDatabase.open(path);
  const reads = new SqlExecutionReads(db);
  const found: Record<string, number[]> = {};
  for (const text of ["invoices", "drawer", "stapler", "nothing"]) {
    const list = await reads.listExecutions({ text, limit: 100, offset: 0 });
    found[text] = list.map(({ id }) => id);
  }
  return found;
}
