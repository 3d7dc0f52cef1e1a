// Tests of trials: runs of a text that is not saved.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Lifecycle } from "../../../api/streams/lifecycle.ts";
import { createApp } from "../../../server/app.ts";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";

const script = (steps: unknown[], lines = "") =>
  `---\nmodel: { provider: demo, name: script }\n${lines}---\n\`\`\`demo\n${
    JSON.stringify(steps)
  }\n\`\`\`\n`;

async function openWorld() {
  const opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace());
  await place.writeAgent("saved", script([{ say: "Saved text." }], "budget: { per_day: 5 }\n"));
  await place.writeAgent("later", script([{ say: "Later." }], "after: [saved]\n"));
  await place.writeAgent(
    "helper",
    script([{ call: [{ name: "memory_save", arguments: { section: "h", content: "x" } }] }, {
      say: "Helped.",
    }]),
  );
  const runtime = opened.use(await place.open());
  const lifecycle = new Lifecycle({ runtime, keepAlive: true });
  const services = { runtime, lifecycle, transports: () => [] };
  const send = async (isLocal: boolean, json: unknown, id = "saved") => {
    const response = await createApp({ ...services, isLocal, caller: { via: "api" } }).request(
      `/agents/${id}/run`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json),
      },
    );
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return {
    place,
    runtime,
    send,
    async tryText(text: string, more: object = {}) {
      const { status, body } = await send(true, { agent_text: text, ...more });
      assert.equal(status, 200, JSON.stringify(body));
      return await toEnd(runtime, body.execution_id);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

Deno.test("a trial runs the unsaved text, keeps no memory, and starts no other agents", async () => {
  await using world = await openWorld();
  const remember = { name: "memory_save", arguments: { section: "a", content: "b" } };
  const ended = await world.tryText(
    script([
      { call: [remember, { name: "run_agent", arguments: { agent_id: "helper" } }] },
      { say: "Unsaved text." },
    ], 'agents: [helper]\nauto_approve: "*"\n'),
  );
  assert.equal(ended.outputData, "Unsaved text.");
  for (const id of ["saved", "helper"]) {
    await assert.rejects(Deno.stat(join(world.place.agentsDir, `${id}.memory.md`)));
  }
  const runs = await world.runtime.listExecutions({ limit: 9, offset: 0 });
  assert.deepEqual(runs.map(({ agentId }) => agentId).sort(), ["helper", "saved"]);
  // The next turn of the trial continues it. The saved agent's next run does not know of it.
  const next = await world.tryText(script([{ say: "Second." }]), { continues: ended.id });
  assert.equal(next.outputData, "Second.");
  const { body } = await world.send(true, {});
  assert.equal((await toEnd(world.runtime, body.execution_id)).outputData, "Saved text.");
});

Deno.test("a trial with an invalid text is refused before it is stored", async () => {
  await using world = await openWorld();
  const { status, body } = await world.send(true, { agent_text: "---\ntrigger: 7\n---\nHi." });
  assert.equal(status, 422);
  assert.match(body.detail[0].msg, /saved\.md:2/);
  assert.equal((await world.runtime.listExecutions({ limit: 9, offset: 0 })).length, 0);
});

Deno.test("a trial needs the right to change files", async () => {
  await using world = await openWorld();
  assert.equal((await world.send(false, { agent_text: "Hi." })).status, 403);
  assert.equal((await world.send(false, {})).status, 200);
});

Deno.test("a trial of a file that was never saved runs with the defaults, and writes no file", async () => {
  await using world = await openWorld();
  const { place, runtime } = world;
  const text = script(
    [
      { call: [{ name: "memory_save", arguments: { section: "a", content: "b" } }] },
      { call: [{ name: "ask_user", arguments: { question: "Which?", kind: "input" } }] },
      { say: "Heard {result}" },
    ],
    'budget: { per_day: 100 }\ntrigger: { type: schedule, every: 1m }\nauto_approve: "*"\n',
  );
  const { status, body } = await world.send(true, { agent_text: text }, "fresh");
  assert.equal(status, 200, JSON.stringify(body));
  const id = body.execution_id;
  assert.equal((await toEnd(runtime, id)).status, "waiting");
  // An answer continues the trial, although there is no agent of this name.
  const { requestId } = await runtime.pendingRequest(id);
  await runtime.respond(id, { requestId, answer: { text: "red" }, by: { via: "page" } });
  assert.equal((await toEnd(runtime, id)).outputData, "Heard red");
  const files = await Array.fromAsync(Deno.readDir(place.agentsDir), ({ name }) => name);
  assert.deepEqual(files.filter((name) => name.includes("fresh")), []);
  assert.deepEqual((await runtime.listAgents()).filter(({ agent }) => agent.id === "fresh"), []);
  // The next turn of the conversation, a run without a text, and an impossible name.
  const next = { agent_text: script([{ say: "Second." }]), continues: id };
  const second = await world.send(true, next, "fresh");
  assert.equal((await toEnd(runtime, second.body.execution_id)).outputData, "Second.");
  assert.equal((await world.send(true, {}, "fresh")).status, 404);
  assert.equal((await world.send(true, { agent_text: text }, ".hidden")).status, 422);
  assert.equal((await world.send(false, { agent_text: text }, "fresh")).status, 403);
});
