// API conformance: stored conversations, their counts and their removal.
import assert from "node:assert/strict";
import { IS_POSTGRES } from "../../support/test_database.ts";
import { CheckpointsBody } from "../../../api/schemas/checkpoint_schemas.ts";
import { overTcp as test, type Reached } from "./both_transports.ts";

const purge = async ({ call }: Reached, json?: unknown) => {
  const { status, body } = await call("/checkpoints/purge", {
    method: "POST",
    ...(json !== undefined && { json }),
  });
  return [status, body];
};

test("GET /checkpoints counts conversations, messages and bytes", async (on) => {
  for (let run = 0; run < 2; run++) await on.runToEnd("writer");
  const { status, body } = await on.call("/checkpoints");
  assert.equal(status, 200);
  assert.deepEqual(CheckpointsBody.parse(body), body);
  assert.equal(
    body.path,
    IS_POSTGRES ? on.runtime.storage.place : on.runtime.directories.databaseFile,
  );
  assert.ok(body.size_bytes > 0);
  const [{ bytes, ...writer }] = body.agents;
  // The first conversation has a prompt, a turn and a reply. The second one repeats the first's turn and reply.
  assert.deepEqual([body.threads, writer], [2, { agent_id: "writer", threads: 2, messages: 8 }]);
  assert.ok(bytes > 0);

  assert.deepEqual(await purge(on, { agent: "nobody" }), [
    404,
    { detail: "Agent 'nobody' not found" },
  ]);
  for (const json of [{ force: "yes" }, { agent: 1 }, [], null]) {
    assert.equal((await purge(on, json))[0], 422, JSON.stringify(json));
  }
  // A request with a misspelled field is refused and purges nothing.
  for (const json of [{ agnt: "writer" }, { agent: "writer", froce: true }]) {
    const [status, body] = await purge(on, json);
    const [{ loc, msg }] = body.detail;
    assert.deepEqual([status, loc], [422, ["body"]]);
    assert.match(msg, /Unrecognized key: "(agnt|froce)"/);
  }
  assert.equal((await on.call("/checkpoints")).body.threads, 2);
});

test("POST /checkpoints/purge keeps each agent's newest conversation unless forced", async (on) => {
  await on.workspace.writeScript("other", [{ say: "Done." }]);
  await on.client.reload();
  for (const agent of ["writer", "writer", "writer", "other", "other"]) await on.runToEnd(agent);
  assert.deepEqual(await purge(on, { agent: "writer" }), [200, { purged: 2 }]);
  assert.deepEqual(await purge(on), [200, { purged: 1 }]);
  assert.deepEqual(await purge(on, { agent: null, force: null }), [200, { purged: 0 }]);
  assert.deepEqual(await purge(on, { agent: "other", force: true }), [200, { purged: 1 }]);
  assert.deepEqual(await purge(on, { force: true }), [200, { purged: 1 }]);
  assert.equal((await on.call("/checkpoints")).body.threads, 0);
  // Later runs do not use a purged conversation, but its execution stays in the history.
  assert.equal((await on.runToEnd("writer")).status, "success");
  assert.equal((await on.call("/agents/writer/runs")).body.length, 4);
});
