// Tests that each invariant of the soak proof reports a row that breaks it, and no row of a correct database.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Circumstances,
  findViolations,
  INVARIANTS,
} from "../../proof/soak/invariants/invariants.ts";
import { writeSoundDatabase } from "../../proof/soak/sound_database.ts";
import { createTempDir } from "../support/temp_dir.ts";
import { SQLITE } from "../support/test_database.ts";

const DEAD: Circumstances = {
  since: 0,
  service: "dead",
  beats: { tick: 1_000 },
  neverAsking: ["tick", "watcher"],
};

const LEAD = "(SELECT id FROM executions WHERE agent_id = 'lead')";
const CHILD = "(SELECT id FROM executions WHERE agent_id = 'child')";
const TICK = "(SELECT max(id) FROM executions WHERE agent_id = 'tick')";
const WAITING = "(SELECT id FROM executions WHERE status = 'waiting')";
const ANSWERED = "(SELECT execution_id FROM requests WHERE response IS NOT NULL)";
const lastStats = (id: string) =>
  `(SELECT max(id) FROM frames WHERE execution_id = ${id} AND json_extract(payload, '$.event_type') = 'stats')`;
const tell = (key: string, value: string, where: string) =>
  `UPDATE frames SET payload = json_set(payload, '$.${key}', ${value}) WHERE ${where}`;
const owned = (table: string, values: string): [string, string] => [
  `no row of ${table} without its execution`,
  `INSERT INTO ${table} ${values}`,
];

/** An SQL statement that breaks an invariant, or an index whose page is overwritten. */
type Lie = string | { sql: string; service: "live" | "quiet" } | { damage: string };

/** The damage for each invariant, by the invariant's name. The statements imitate a faulty service. */
const LIES: Readonly<Record<string, Lie>> = {
  "each ended execution has exactly one complete frame, and no other has one":
    `INSERT INTO frames (execution_id, event, payload) SELECT execution_id, event, payload FROM frames WHERE execution_id = ${LEAD} AND event = 'complete'`,
  "complete is the last frame":
    `INSERT INTO frames (execution_id, event, payload) VALUES (${LEAD}, 'ai', '{}')`,
  "execution_info is the first frame":
    `DELETE FROM frames WHERE id = (SELECT min(id) FROM frames WHERE execution_id = ${LEAD})`,
  "the complete frame equals the execution's row": tell(
    "total_tokens",
    "7",
    `execution_id = ${LEAD} AND event = 'complete'`,
  ),
  "exactly the ended executions have the time of their end":
    `UPDATE executions SET finished_at = NULL WHERE id = ${LEAD}`,
  "every success has an answer, and one final_answer frame contains each stored answer":
    `UPDATE executions SET output_data = 'something else' WHERE id = ${LEAD}`,
  "exactly the executions that ended without success have an error":
    `UPDATE executions SET status = 'error', output_data = NULL WHERE id = ${LEAD}`,
  "every running execution belongs to the running service": {
    sql: `UPDATE executions SET status = 'running' WHERE id = ${LEAD}`,
    service: "live",
  },
  "no execution runs or waits after all work has ended": { sql: "SELECT 1", service: "quiet" },
  "each reply, even an interrupted one, has one stats frame": `DELETE FROM frames WHERE id = ${
    lastStats(LEAD)
  }`,
  "the last stats frame equals the usage in the execution's row": tell(
    "output_tokens",
    "1",
    `id = ${lastStats(LEAD)}`,
  ),
  "the total of tokens is the sum of input and output":
    `UPDATE executions SET total_tokens = total_tokens + 1 WHERE id = ${LEAD}`,
  "the execution's row counts the tool calls in its frames":
    `UPDATE executions SET tool_calls = tool_calls + 1 WHERE id = ${LEAD}`,
  "the execution's row counts its stored tool calls":
    `DELETE FROM tool_calls WHERE execution_id = ${LEAD} AND position = (SELECT max(position) FROM tool_calls WHERE execution_id = ${LEAD})`,
  "an execution's tokens and cost are the sums over its replies":
    `UPDATE executions SET input_tokens = input_tokens - 1, output_tokens = output_tokens + 1 WHERE id = ${LEAD}`,
  "every result is at the position of its call":
    `UPDATE messages SET body = json_set(body, '$.toolCallId', 'another') WHERE execution_id = ${LEAD} AND role = 'tool'`,
  "every call of an execution that succeeded has its result":
    `DELETE FROM messages WHERE execution_id = ${LEAD} AND role = 'tool'`,
  "a call's frame reports the call":
    `UPDATE tool_calls SET frame_id = frame_id - 1 WHERE execution_id = ${LEAD}`,
  "each tool_result frame belongs to one call":
    `UPDATE tool_calls SET frame_id = (SELECT max(frame_id) FROM tool_calls WHERE execution_id = ${LEAD}) WHERE execution_id = ${LEAD}`,
  "results are reported in the order of the calls":
    `UPDATE tool_calls SET frame_id = 1000 - frame_id WHERE execution_id = ${LEAD}`,
  "every call follows the reply that requested it":
    `UPDATE messages SET body = json_set(body, '$.toolCalls', json('[]')) WHERE execution_id = ${LEAD}`,
  "every open request belongs to a waiting execution":
    `UPDATE executions SET status = 'running' WHERE id = ${WAITING}`,
  "every waiting execution, or an execution below it, has an open request":
    `UPDATE requests SET answered_at = created_at WHERE execution_id = ${WAITING}`,
  "every answer has a time, not before its request":
    "UPDATE requests SET answered_at = created_at - 1 WHERE response IS NOT NULL",
  "each request has one frame in the asking execution":
    `DELETE FROM frames WHERE execution_id = ${WAITING} AND event = 'interrupt'`,
  "without delegation, an execution has one human frame for its task and each answer":
    `INSERT INTO frames (execution_id, event, payload) VALUES (${ANSWERED}, 'message', '{"event_type":"human"}')`,
  "a request belongs to a call": `DELETE FROM tool_calls WHERE execution_id = ${ANSWERED}`,
  ...Object.fromEntries([
    owned("frames", "(execution_id, event, payload) VALUES (999, 'ai', '{}')"),
    owned("messages", "(execution_id, position, role, body) VALUES (999, 0, 'user', '{}')"),
    owned(
      "tool_calls",
      "(execution_id, position, tool_call_id, name, arguments) VALUES (999, 0, 'c', 'n', '{}')",
    ),
    owned(
      "requests",
      "(request_id, execution_id, position, kind, body, created_at) VALUES ('r', 999, 0, 'input', '{}', 1)",
    ),
    owned("idempotency_keys", "(key, execution_id, created_at) VALUES ('k', 999, 1)"),
  ]),
  "every execution belongs to an instance":
    `UPDATE executions SET instance_id = 'nobody' WHERE id = ${LEAD}`,
  "exactly the delegated executions have a parent, whose depth is one less":
    `UPDATE executions SET depth = 3 WHERE id = ${CHILD}`,
  "a delegated execution was started by a call of run_agent":
    `UPDATE executions SET parent_position = parent_position - 1 WHERE id = ${CHILD}`,
  "every delegated execution ends before its parent succeeds":
    `UPDATE executions SET finished_at = finished_at + 60000 WHERE id = ${CHILD}`,
  "the database file is undamaged": { damage: "executions_by_agent" },
  "every foreign key refers to an existing row":
    `UPDATE slots SET execution_id = 999 WHERE outcome = 'run'`,
  "exactly the slots that ran have an execution, a scheduled one of their agent":
    `UPDATE slots SET execution_id = ${LEAD} WHERE outcome = 'run'`,
  "every scheduled execution has exactly one slot":
    `DELETE FROM slots WHERE execution_id = ${TICK}`,
  "no slot is later than its schedule's last_fire":
    "UPDATE schedules SET last_fire = last_fire - 60000",
  "every stored file state belongs to a watch": "DELETE FROM watches",
  "every due time of an unchanged schedule has exactly one outcome":
    "UPDATE slots SET scheduled_for = scheduled_for - 500 WHERE scheduled_for = (SELECT min(scheduled_for) FROM slots)",
  "a schedule's runs never overlap, and a watch has at most four concurrent runs":
    "UPDATE executions SET finished_at = finished_at + 60000 WHERE agent_id = 'tick'",
};

Deno.test(
  "findViolations() reports each planted error by the invariant that it breaks",
  SQLITE,
  async (test) => {
    await using folder = await createTempDir();
    const sound = join(folder.path, "sound.db");
    await writeSoundDatabase(sound);
    assert.deepEqual(findViolations(sound, DEAD), []);
    assert.deepEqual(
      new Set(Object.keys(LIES)),
      new Set(INVARIANTS.map(({ name }) => name)),
      "there is a lie for each",
    );
    for (const [name, lie] of Object.entries(LIES)) {
      await test.step(name, async () => {
        const path = join(folder.path, "lie.db");
        await Deno.copyFile(sound, path);
        await tellLie(path, lie);
        const service = typeof lie === "object" && "service" in lie ? lie.service : "dead";
        const found = findViolations(path, { ...DEAD, service });
        const reported = found.find(({ invariant }) => invariant === name);
        assert.ok(
          reported,
          `reported instead: ${found.map(({ invariant }) => invariant).join("; ")}`,
        );
        assert.ok(reported.rows.length > 0);
      });
    }
  },
);

Deno.test(
  "a run of a watch that rests makes way for another one, until it continues",
  SQLITE,
  async () => {
    await using folder = await createTempDir();
    const sound = join(folder.path, "sound.db");
    await writeSoundDatabase(sound);
    /** Returns whether five runs that start in turn, the fifth at 5,000 ms, break the limit. `first` changes the first. */
    const breaks = async (first: string) => {
      const path = join(folder.path, "runs.db");
      await Deno.copyFile(sound, path);
      const five = "SELECT id FROM executions WHERE finished_at IS NOT NULL ORDER BY id LIMIT 5";
      const one = `(SELECT min(id) FROM (${five}))`;
      const pause = `json_object('timestamp', '1970-01-01T00:00:03.000Z', 'pauses', json('true'))`;
      await tellLie(
        path,
        `UPDATE executions SET agent_id = 'watcher', trigger = 'watch', finished_at = 60000,
        started_at = (SELECT 1000 * count(*) FROM (${five}) f WHERE f.id <= executions.id) WHERE id IN (${five});
      INSERT INTO frames (execution_id, event, payload) VALUES (${one}, 'meta', ${pause});
      UPDATE executions SET ${first} WHERE id = ${one}`,
      );
      return findViolations(path, DEAD)
        .some(({ invariant }) => invariant.startsWith("a schedule's runs never overlap"));
    };
    assert.equal(await breaks("rest = NULL"), true);
    assert.equal(await breaks("rest = '{}'"), false);
    assert.equal(await breaks(`rest = '{"ended":{"at":3500}}'`), true);
    assert.equal(await breaks(`rest = '{"ended":{"at":4500}}'`), false);
    assert.equal(await breaks("finished_at = 4500"), false);
  },
);

async function tellLie(path: string, lie: Lie): Promise<void> {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    if (typeof lie === "string") return db.exec(lie);
    if ("sql" in lie) return db.exec(lie.sql);
    const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?")
      .get(lie.damage) as { rootpage: number };
    const { page_size } = db.prepare("PRAGMA page_size").get() as { page_size: number };
    using file = await Deno.open(path, { write: true });
    await file.seek(rootpage * page_size - 24, Deno.SeekMode.Start);
    await file.write(new Uint8Array(24).fill(0xff));
  } finally {
    db.close();
  }
}
