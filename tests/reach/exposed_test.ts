import assert from "node:assert/strict";
import { createLocalClient } from "../../app/local_client.ts";
import { Exposed } from "../../reach/exposed.ts";
import { call } from "../runtime/executions/executions_of.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../support/test_workspace.ts";

const ASKING = [{ call: [call("ask_user", { question: "Which?" })] }, { say: "Fine." }];
const calling = (
  agent_id: string,
) => [{ call: [call("run_agent", { agent_id })] }, { say: "Done." }];

/** Returns the status and the text of an error for an id, with `7` in place of the id. */
async function refusal(of: Promise<unknown>): Promise<unknown> {
  return await of.then(
    (value) => assert.fail(JSON.stringify(value)),
    ({ status, detail }) => [status, String(detail).replaceAll(/'[^']*'/g, "'x'")],
  );
}

Deno.test("Exposed shows exposed agents and what these called, and the rest is unknown", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("helper", [{ say: "Hi." }]);
  await place.writeScript("secret", calling("helper"), "agents: [helper]");
  await place.writeScript("front", calling("helper"), "expose: true\nagents: [helper]");
  await place.writeScript("off", [{ say: "Hi." }], "expose: true\nenabled: false");
  await place.writeScript("above", calling("front"), "agents: [front]");
  await using runtime = await place.open();
  using client = createLocalClient(runtime, { via: "program" });
  const exposed = new Exposed(client);

  assert.deepEqual((await exposed.agents()).map(({ id }) => id), ["front"]);
  assert.equal((await exposed.agent("front")).expose, true);
  const unknown = await refusal(exposed.agent("nobody"));
  for (const id of ["secret", "helper", "off"]) {
    assert.deepEqual(await refusal(exposed.agent(id)), unknown, id);
  }

  const ids: Record<string, number> = {};
  for (const id of ["secret", "front", "off", "above", "helper"]) {
    ids[id] = (await runToEnd(runtime, id)).id;
  }
  const childOf = async (id: number) =>
    (await runtime.listExecutions({ parentId: id, limit: 1, offset: 0 }))[0]?.id ?? 0;
  const front = ids["front"] ?? 0;
  const below = await childOf(ids["above"] ?? 0);
  const seen = [front, await childOf(front), below, await childOf(below)];
  for (const id of seen) assert.equal((await exposed.execution(id)).id, id);
  const missing = await refusal(exposed.execution(999));
  assert.deepEqual(missing, [404, "Execution not found"]);
  const hidden = [ids["secret"], ids["off"], ids["above"], ids["helper"]].map((id) => id ?? 0);
  for (const id of [...hidden, await childOf(hidden[0] ?? 0)]) {
    assert.deepEqual(await refusal(exposed.execution(id)), missing);
    assert.deepEqual(await refusal(exposed.pending(id)), missing);
  }
  const listed = (await exposed.executions()).map(({ id }) => id);
  assert.deepEqual(listed.toSorted(), [front, below].toSorted());
  const recap = await exposed.recap({});
  assert.equal(recap.executions.total, listed.length);
  assert.deepEqual([recap.failures, recap.waiting, recap.stopped, recap.next], [[], [], [], []]);
});

Deno.test("Exposed covers every exposed agent of a large workspace, and has no recap without one", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("private", [{ say: "Hi." }]);
  await using runtime = await place.open();
  using client = createLocalClient(runtime, { via: "program" });
  await runToEnd(runtime, "private");
  const exposed = new Exposed(client);
  const [status, detail] = await refusal(exposed.recap({})) as [number, string];
  assert.equal(status, 404);
  assert.match(detail, /expose: true/);

  const ids = Array.from({ length: 120 }, (_, n) => `agent-${String(n).padStart(3, "0")}`);
  for (const id of ids) await place.writeScript(id, [{ say: "Hi." }], "expose: true");
  await client.reload();
  const last = ids.at(-1) ?? "";
  const { id } = await runToEnd(runtime, last);
  assert.deepEqual((await exposed.executions()).map((one) => one.id), [id]);
  assert.equal((await exposed.recap({})).executions.total, 1);
});

Deno.test("Exposed.questions() lists the questions of exposed agents and of their called agents once", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", ASKING);
  await place.writeScript("front", calling("asker"), "expose: true\nagents: [asker]");
  await place.writeScript("top", calling("front"), "expose: true\nagents: [front]");
  await using runtime = await place.open();
  using client = createLocalClient(runtime, { via: "program" });
  const exposed = new Exposed(client);
  assert.deepEqual(await exposed.questions(), []);
  await runToEnd(runtime, "asker");
  assert.deepEqual(await exposed.questions(), [], "the question of an agent that is not exposed");
  const { id } = await runToEnd(runtime, "top");
  const [question, ...more] = await exposed.questions();
  assert.deepEqual([question?.message, question?.asked_by, more], ["Which?", "asker", []]);
  assert.equal((await exposed.pending(id)).request_id, question?.request_id);
  const request_id = question?.request_id ?? "";
  await client.respond(id, { request_id, response: { text: "red" } });
  assert.equal((await toEnd(runtime, id)).status, "success");
  assert.deepEqual(await exposed.questions(), []);
});
