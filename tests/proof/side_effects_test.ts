import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findWrongEffects, SideEffects } from "../../proof/soak/load/side_effects.ts";
import { withTempDir } from "../support/temp_dir.ts";

Deno.test("findWrongEffects() reports calls that took effect twice or wrongly", () =>
  withTempDir(async (folder) => {
    await using effects = await SideEffects.open(folder);
    const path = join(folder, "frames.db");
    const db = new DatabaseSync(path);
    db.exec(
      "CREATE TABLE frames (id INTEGER PRIMARY KEY, execution_id INTEGER, event TEXT, payload TEXT)",
    );
    const frame = (token: string, isError: boolean, content: string, tool = "stamp") =>
      db.prepare("INSERT INTO frames (execution_id, event, payload) VALUES (1, 'tool_result', ?)")
        .run(
          JSON.stringify({ tool_call_id: token, tool_name: tool, is_error: isError, content }),
        );
    frame("t1", false, "stamped");
    frame("t2", true, "Action denied by user");
    frame("t3", true, "Error: its outcome is unknown");
    frame("w4", false, "this one leaves nothing behind");
    frame("t5", false, "a tool that is not counted", "file_read");
    const find = async () =>
      (await findWrongEffects(path, { effects, since: 0 })).map(({ invariant }) => invariant);
    assert.deepEqual(await find(), ["every call that is reported as done took effect"]);
    await Deno.writeTextFile(effects.file, "t1\n", { append: true });
    assert.deepEqual(await find(), []);
    await (await fetch(`${effects.url}/t2`, { method: "POST" })).text();
    assert.deepEqual(await find(), ["no call that was denied takes effect"]);
    await (await fetch(`${effects.url}/t1`, { method: "POST" })).text();
    assert.deepEqual(await find(), [
      "no unsafe call takes effect twice",
      "no call that was denied takes effect",
    ]);
    db.close();
  }));
