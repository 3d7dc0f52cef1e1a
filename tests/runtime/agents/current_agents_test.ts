import assert from "node:assert/strict";
import { join } from "node:path";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\nRepeat.\n";

Deno.test("run(), getAgent() and planRun() use an agent's current file before the watcher reports a change", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("old", ECHO);
  // This clock does not advance, so the watcher never reports a change.
  await using runtime = await place.open({ clock: new TestClock() });
  await place.writeAgent("new", ECHO);
  assert.equal((await runtime.getAgent("new")).agent.id, "new");
  const ended = await runToEnd(runtime, "new", { message: "Hello" });
  assert.equal(ended.status, "success");
  await assert.rejects(runtime.run("newer", {}), /Agent 'newer' not found/);
  // The files that are no agents, and a path outside of the agents folder.
  for (const name of ["notes.txt", "a.memory.md", "README.md", "../outside.md"]) {
    await Deno.writeTextFile(join(place.agentsDir, name), ECHO);
  }
  const others = [
    "notes.txt",
    "a.memory",
    "README",
    "../outside",
    "",
    " ",
    "\0",
    "x".repeat(5_000),
  ];
  for (const id of [...others, `${place.agentsDir}/../outside`]) {
    await assert.rejects(runtime.getAgent(id), { name: "AgentNotFound" });
  }

  for (const version of ["v1", "v2", "v3"]) {
    await place.writeAgent("old", ECHO.replace("Repeat.", version));
    assert.equal((await runtime.getAgent("old")).agent.body.trim(), version);
    const named = ECHO.replace("---\nRepeat.", `name: ${version}\n---\nRepeat.`);
    await place.writeAgent("old", named);
    assert.notEqual((await runtime.getAgent("old", { fresh: false })).agent.displayName, version);
    await runtime.planRun("old", { withMessages: false });
    assert.equal(runtime.brokenAgentFiles().length, 0);
    assert.equal((await runtime.listAgents()).at(-1)?.agent.displayName, version);
  }
  await place.writeAgent("listed", ECHO);
  const ids = async (fresh: boolean) =>
    (await runtime.listAgents({ fresh })).map(({ agent }) => agent.id);
  assert.deepEqual(await ids(false), ["new", "old"]);
  assert.deepEqual(await ids(true), ["listed", "new", "old"]);
  await Deno.remove(join(place.agentsDir, "old.md"));
  await assert.rejects(runtime.run("old", {}), /Agent 'old' not found/);
});

Deno.test("a run logs that it uses the last valid definition of its agent", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("steady", ECHO);
  await using runtime = await place.open({ clock: new TestClock() });
  const run = async () => {
    const { id, notices = [] } = await runtime.run("steady", { message: "Hello" });
    await toEnd(runtime, id);
    const reported = (await payloadsOf(runtime, id)).filter(({ kind }) => kind === "notice");
    assert.deepEqual(reported.map(({ content }) => content), notices);
    return notices;
  };
  assert.deepEqual(await run(), []);
  await place.writeAgent("steady", "---\nmodel: [\n---\nHalf.\n");
  assert.equal((await runtime.getAgent("steady")).agent.body.trim(), "Repeat.");
  const [notice = "", ...others] = await run();
  assert.match(notice, /^This run uses the agent's last good definition: .*steady\.md:\d+:\d+: /);
  assert.deepEqual(others, []);
  await place.writeAgent("steady", ECHO);
  assert.deepEqual(await run(), []);

  await place.writeAgent("first", ECHO);
  assert.deepEqual((await runtime.reloadAgents()).added, ["first"]);
  await place.writeAgent("second", ECHO);
  await place.writeAgent("first", `${ECHO}More.\n`);
  await runtime.listAgents({ fresh: true });
  const { added, updated, removed } = await runtime.reloadAgents();
  const expected = { added: ["second"], updated: ["first"], removed: [] };
  assert.deepEqual({ added, updated, removed }, expected);
  assert.deepEqual((await runtime.reloadAgents()).added, []);
});

Deno.test("runs started by webhooks, by other runs or by agents use the agent's current file", async () => {
  await using place = await createTestWorkspace({ shell: { HOOK: "a-secret-key" } });
  const write = (id: string, say: string, lines: string) => place.writeScript(id, [{ say }], lines);
  const hook = "trigger: { type: webhook, secret: HOOK, scheme: token }";
  const call = [{ name: "run_agent", arguments: { agent_id: "helper" } }];
  await place.writeScript("lead", [{ call }, { say: "Done." }], "agents: [helper]");
  // This clock does not advance, so the watcher never reports a change.
  await using runtime = await place.open({ clock: new TestClock() });
  const headers = new Headers({
    "authorization": "Bearer a-secret-key",
    "content-type": "application/json",
  });
  let delivered = 0;
  const deliver = async () => {
    const body = new TextEncoder().encode(JSON.stringify({ number: ++delivered }));
    return await runtime.webhooks?.receive("hooked", { headers, body });
  };
  const newestOf = async (agentId: string) =>
    (await runtime.listExecutions({ agentId, limit: 1, offset: 0 }))[0]?.id ?? 0;
  const outputs = async () => {
    await deliver();
    await runToEnd(runtime, "lead");
    await until(async () => await newestOf("follower") > 0, "it follows");
    const ids = await Promise.all(["hooked", "helper", "follower"].map(newestOf));
    return await Promise.all(ids.map(async (id) => {
      await toEnd(runtime, id);
      return (await payloadsOf(runtime, id)).findLast((one) => one["event_type"] === "final_answer")
        ?.["content"];
    }));
  };
  const save = async (say: string, more = "") => {
    await write("hooked", say, `${hook}${more}`);
    await write("helper", say, more);
    await write("follower", say, `after: lead${more}`);
  };
  await save("Old.");
  await runtime.listAgents({ fresh: true });
  await save("New.");
  assert.deepEqual(await outputs(), ["New.", "New.", "New."]);
  const before = await Promise.all(["hooked", "helper", "follower"].map(newestOf));
  await save("Off.", "\nenabled: false");
  assert.deepEqual(await deliver(), { outcome: "unknown" });
  const lead = await runToEnd(runtime, "lead");
  const results = (await payloadsOf(runtime, lead.id)).map(({ content }) => String(content));
  assert.ok(results.some((text) => text.includes('Cannot run agent "helper": it is disabled')));
  const newest = await Promise.all(["hooked", "helper", "follower"].map(newestOf));
  assert.deepEqual(newest, before);
});

/** Two Unicode spellings of one id: with a composed letter, and with a letter followed by its accent. */
const [COMPOSED, APART] = ["café", "cafe\u0301"];

Deno.test("a removed agent is known by its stored data, in every spelling of its id", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript(COMPOSED, [{ say: "hello" }]);
  await using runtime = await place.open();
  const page = { limit: 10, offset: 0 };
  for (let count = 0; count < 3; count++) await runToEnd(runtime, COMPOSED);
  for (const isThere of [true, false]) {
    if (!isThere) {
      await Deno.remove(`${place.agentsDir}/${COMPOSED}.md`);
      await runtime.reloadAgents();
    }
    assert.equal((await runtime.listRuns(APART, page)).length, 3);
    assert.equal((await runtime.listExecutions({ agentId: APART, ...page })).length, 3);
    assert.deepEqual(await runtime.listSlots(APART, page), []);
  }
  assert.equal(await runtime.purgeCheckpoints({ agentId: APART, force: false }), 2);

  const unknown = { name: "AgentNotFound" };
  await assert.rejects(runtime.listRuns("nobody", page), unknown);
  await assert.rejects(runtime.listSlots("nobody", page), unknown);
  await assert.rejects(runtime.purgeCheckpoints({ agentId: "nobody", force: true }), unknown);
});
