// API conformance: delegated executions, their questions, and their usage.
import assert from "node:assert/strict";
import { overTcp as test, type Reached, TIMESTAMP } from "./both_transports.ts";

/** Runs `lead`, which delegates to `middle`, which delegates to `asker`. Returns the ids of the waiting executions. */
async function startFamily(on: Reached): Promise<{ lead: number; middle: number; asker: number }> {
  const delegate = (id: string) => ({ name: "run_agent", arguments: { agent_id: id } });
  await on.workspace.writeScript(
    "lead",
    [{ call: [delegate("middle")], cost_usd: 0.5 }, { say: "{result}", cost_usd: 0.5 }],
    "agents: [middle]",
  );
  await on.workspace.writeScript(
    "middle",
    [{ call: [delegate("asker")] }, { say: "Middle: {result}" }],
    "agents: [asker]",
  );
  await on.workspace.writeScript("asker", [
    {
      call: [{ name: "ask_user", arguments: { question: "Which?", options: ["red", "blue"] } }],
      cost_usd: 2,
    },
    { say: "It is {result}.", cost_usd: 1 },
  ]);
  await on.client.reload();
  const { execution_id: lead } = await on.client.run("lead");
  assert.equal((await on.framesOf(lead)).at(-1)?.event, "waiting");
  const { body: [asker, middle] } = await on.call("/executions?status=waiting");
  return { lead, middle: middle.id, asker: asker.id };
}

const respond = (on: Reached, id: number, json: unknown) =>
  on.call(`/executions/${id}/respond`, { method: "POST", json });

test("a delegated question is open in all parents, and the top execution reports all costs", async (on) => {
  const ids = await startFamily(on);
  const { lead, middle, asker } = ids;
  for (const [id, parent, agent] of [[middle, lead, "middle"], [asker, middle, "asker"]] as const) {
    const { body } = await on.call(`/executions/${id}`);
    assert.deepEqual(
      [body.agent_id, body.trigger, body.parent_execution_id, body.status, body.session_id],
      [agent, "agent", parent, "waiting", null],
    );
  }
  const { body: agent } = await on.call("/agents/asker");
  assert.deepEqual([agent.last_execution_id, agent.last_status], [asker, "waiting"]);
  assert.match(agent.last_run, TIMESTAMP);
  assert.deepEqual([agent.last_execution.id, agent.last_execution.trigger], [asker, "agent"]);
  const below = async (id: number) =>
    (await on.call(`/executions?parent=${id}`)).body.map((one: { id: number }) => one.id);
  assert.deepEqual(await Promise.all([lead, middle, asker].map(below)), [[middle], [asker], []]);

  // A parent's question is its child's question and has the same id.
  const known = new Set<string>();
  for (const id of Object.values(ids)) {
    const { status, body } = await on.call(`/executions/${id}/pending`);
    assert.equal(status, 200);
    assert.deepEqual([body.execution_id, body.message, body.options], [id, "Which?", [
      ...["red", "blue"],
    ]]);
    known.add(body.request_id);
    const frames = await on.framesOf(id);
    const [interrupt, waiting] = frames.slice(-2);
    assert.deepEqual([interrupt?.event, waiting?.event], ["interrupt", "waiting"]);
    assert.ok(interrupt?.id && !waiting?.id, "only logged frames have an id");
    for (const { payload } of [interrupt, waiting ?? assert.fail()]) {
      assert.deepEqual([payload["request_id"], payload["execution_id"]], [body.request_id, id]);
    }
    // A reader that reconnects after the last frame gets the question at once.
    const resumed = await on.call(`/executions/${id}/stream`, {
      headers: { "last-event-id": String(interrupt.id) },
    });
    assert.match(resumed.text, /^event: waiting\ndata: .*\n\n$/);
  }
  const [request_id = "", ...others] = known;
  assert.deepEqual(others, []);

  const unfit = await respond(on, lead, { request_id, response: { selected: ["green"] } });
  assert.equal(unfit.status, 422);
  const strange = await respond(on, lead, { request_id: "other", response: { selected: ["red"] } });
  assert.equal(strange.status, 409);
  const answers = await Promise.all(
    [lead, middle, asker].map((id) =>
      respond(on, id, { request_id, response: { selected: ["red"] } })
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  assert.equal((await on.framesOf(lead)).at(-1)?.event, "complete");
  for (const id of [lead, middle, asker]) {
    assert.equal((await on.call(`/executions/${id}/pending`)).status, 404);
  }
  const { body } = await on.call(`/executions/${lead}`);
  assert.deepEqual([body.status, body.cost_usd, body.total_cost_usd], ["success", 1, 4]);
  assert.deepEqual([body.children.count, body.children.cost_usd], [2, 3]);
  const result = JSON.parse(body.output_data);
  assert.deepEqual(Object.keys(result).sort(), [
    ...["cost_usd", "duration_ms", "execution_id", "output", "status", "total_tokens"],
  ]);
  assert.deepEqual([result.status, result.execution_id], ["success", middle]);
  assert.match(result.output, /^Middle: .*It is red\./);
});

test("a question three levels deep can be answered after a restart", async (on) => {
  const { lead } = await startFamily(on);
  await on.restart();
  const { body: { request_id } } = await on.call(`/executions/${lead}/pending`);
  const { status } = await respond(on, lead, { request_id, response: { selected: ["blue"] } });
  assert.equal(status, 200);
  await on.framesOf(lead);
  const { body } = await on.call(`/executions/${lead}`);
  assert.match(body.output_data, /Middle: .*It is blue\./);
});

test("DELETE of a waiting parent ends all executions below it", async (on) => {
  const ids = await startFamily(on);
  const { body } = await on.call(`/executions/${ids.lead}`, { method: "DELETE" });
  assert.deepEqual(body, { status: "aborted", execution_id: ids.lead });
  for (const id of Object.values(ids)) {
    const { body } = await on.call(`/executions/${id}`);
    assert.deepEqual([body.status, body.error], ["aborted", "Cancelled by user"]);
    const ends = (await on.framesOf(id)).filter(({ event }) => event === "complete");
    assert.equal(ends.length, 1);
  }
});
