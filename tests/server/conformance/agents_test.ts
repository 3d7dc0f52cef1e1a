// API conformance: agents, their runs, their history, and reloading their files.
import assert from "node:assert/strict";
import { ReloadBody } from "../../../api/schemas/agent_action_schemas.ts";
import { AgentSummary } from "../../../api/schemas/agent_schemas.ts";
import { overTcp as test } from "./both_transports.ts";

test("GET /agents lists id, display name, name and icon, sorted by id", async ({ call, workspace, client }) => {
  await workspace.writeScript("a second one", [{ say: "x" }], "icon: 🦊");
  await client.reload();
  const { status, body } = await call("/agents");
  assert.equal(status, 200);
  for (const agent of body) assert.deepEqual(AgentSummary.parse(agent), agent);
  assert.deepEqual(
    body.map(({ id, display_name, name }: AgentSummary) => [id, display_name, name]),
    [["a second one", "a second one", "a second one"], ["writer", "The Writer", "The Writer"]],
  );
  assert.equal(body[0].icon, "🦊");
  assert.match(body[1].icon, /\p{Emoji}/u);
  await client.reload();
  assert.deepEqual((await call("/agents")).body, body);
});

test("session_id makes a run a chat turn, and a blank session_id is ignored", async ({ runToEnd }) => {
  const chat = await runToEnd("writer", { session_id: "../odd: ünï ✨" });
  assert.deepEqual([chat.trigger, chat.session_id], ["chat", "../odd: ünï ✨"]);
  for (const session_id of [undefined, "", "   ", null]) {
    const { trigger, session_id: stored } = await runToEnd("writer", {
      ...(session_id !== undefined && { session_id }),
    });
    assert.deepEqual([trigger, stored], ["manual", null]);
  }
});

test("a repeated Idempotency-Key returns the first execution", async ({ call, client, workspace }) => {
  const run = (agent: string, key: string | null, json: unknown = {}) =>
    call(`/agents/${agent}/run`, {
      method: "POST",
      json,
      ...(key !== null && { headers: { "idempotency-key": key } }),
    });
  const first = await run("writer", "k1", { message: "a" });
  const expectSame = async () => {
    const again = await run("writer", "k1", { message: "a" });
    assert.deepEqual([again.status, again.body], [200, first.body]);
  };
  await expectSame();
  const others = [
    await run("writer", "k1", { message: "b" }),
    await run("writer", "k1"),
    await run("writer", "k1", { message: "a", session_id: "s" }),
  ];
  for (const { status, body } of others) {
    assert.deepEqual([status, body], [409, {
      detail:
        "Idempotency-Key was used for a different run within the last 24 hours; use a new one",
    }]);
  }
  assert.notEqual(
    (await run("writer", "k2", { message: "a" })).body.execution_id,
    first.body.execution_id,
  );
  assert.equal((await run("writer", "x".repeat(256))).status, 422);
  await Deno.remove(`${workspace.agentsDir}/writer.md`);
  await client.reload();
  await expectSame();
  assert.equal((await run("writer", "k1", { message: "b" })).status, 409);
  assert.equal((await run("another", "k1", { message: "a" })).status, 409);
  for (const key of ["k3", null]) {
    const { status, body } = await run("writer", key, { message: "a" });
    assert.deepEqual([status, body], [404, { detail: "Agent 'writer' not found" }]);
  }
  assert.equal((await client.runs("writer")).length, 2);
});

test("POST /agents/reload reads the files again and reports the changes", async ({ call, workspace }) => {
  await workspace.writeScript("added", [{ say: "x" }]);
  await workspace.writeAgent("broken", "---\nid: x\n---\nText\n");
  await workspace.writeScript("writer", [{ say: "y" }]);
  const { status, body } = await call("/agents/reload", { method: "POST" });
  assert.equal(status, 200);
  assert.deepEqual(ReloadBody.parse(body), body);
  assert.deepEqual(
    [body.agents_loaded, body.added, body.updated, body.removed],
    [2, ["added"], ["writer"], []],
  );
  const [error] = body.errors;
  assert.deepEqual(Object.keys(error), ["path", "line", "message"]);
  assert.match(error.path, /broken\.md$/);
  assert.equal(error.line, 2);
});
