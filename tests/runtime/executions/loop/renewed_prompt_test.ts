// Tests agents that are edited while their runs wait: the runs continue with the current text and log the change.
import assert from "node:assert/strict";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { TestClock } from "../../../support/test_clock.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import { toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { answer, ASK, untilStatus } from "../executions_of.ts";

const FINE = { text: "Fine." };

/** Writes an agent with this text that asks a question and ends after the answer. */
function write(place: TestWorkspace, text: string, settings = ""): Promise<void> {
  return place.writeAgent(
    "daily",
    `---\nmodel: { provider: demo, name: script }\n${settings}\n---\n${text}\n\n` +
      "```demo\n" + JSON.stringify([ASK, { say: "Done." }]) + "\n```\n",
  );
}

/** Returns the system messages in a run's log, and the system message that its model gets. */
async function promptsOf(place: TestWorkspace, runtime: Runtime, id: number) {
  const logged = (await payloadsOf(runtime, id))
    .filter(({ event_type }) => event_type === "system").map(({ content }) => String(content));
  const sent = await place.all<{ text: string }>(
    "SELECT body ->> '$.content' AS text FROM messages WHERE execution_id = ? AND role = 'system'",
    id,
  );
  return { logged, sent: sent.map(({ text }) => text) };
}

function countTold(place: TestWorkspace): number {
  return place.logged.filter(({ message }) => message.startsWith("The agent's prompt has changed"))
    .length;
}

Deno.test("a run that waited continues with the agent's current text", async () => {
  await using place = await createTestWorkspace();
  await write(place, "The first text.");
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const edited = await runToEnd(runtime, "daily");
  await write(place, "Another text.", "paths: { notes: notes }");
  await runtime.reloadAgents();
  clock.jump(3_600_000);
  await answer(runtime, edited.id, FINE);
  assert.equal((await toEnd(runtime, edited.id)).status, "success");
  const { logged, sent } = await promptsOf(place, runtime, edited.id);
  assert.equal(logged.length, 2);
  assert.match(logged[0] ?? "", /The first text\./);
  assert.match(logged[1] ?? "", /\{notes\}: .*<task>\nAnother text\./s);
  assert.deepEqual(sent, [logged[1]]);
  assert.equal(countTold(place), 1);

  const untouched = await runToEnd(runtime, "daily");
  clock.jump(3_600_000);
  await answer(runtime, untouched.id, FINE);
  assert.equal((await toEnd(runtime, untouched.id)).status, "success");
  const same = await promptsOf(place, runtime, untouched.id);
  assert.equal(same.logged.length, 1);
  assert.deepEqual(same.sent, same.logged);
  assert.equal(countTold(place), 1);
});

Deno.test("a run continues with the agent's current text after a restart or its child's end", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  const slow = [{ say: "Late.", delay_ms: 5_000 }];
  const call = [{ name: "run_agent", arguments: { agent_id: "daily" } }];
  const lead = [{ call }, { say: "Led." }];
  await place.writeScript("slow", slow, "on_restart: resume");
  await place.writeScript("lead", lead, "agents: [daily]");
  await write(place, "The first text.");
  let interrupted: number;
  let parent: number;
  {
    await using runtime = await place.open({ clock });
    ({ id: parent } = await runToEnd(runtime, "lead"));
    ({ id: interrupted } = await runtime.run("slow", {}));
    await until(() => clock.awaits(5_000), "its model");
    await runtime.stop({ graceMs: 0 });
  }
  await place.writeScript("slow", slow, "on_restart: resume\npaths: { notes: notes }");
  await place.writeScript("lead", lead, "agents: [daily]\npaths: { notes: notes }");
  await using runtime = await place.open({ clock });
  await until(() => clock.awaits(5_000), "its model again");
  await clock.advance(5_000);
  assert.equal((await toEnd(runtime, interrupted)).status, "success");
  await answer(runtime, parent, FINE);
  await untilStatus(runtime, parent, "success");
  for (const id of [interrupted, parent]) {
    const { logged, sent } = await promptsOf(place, runtime, id);
    assert.equal(logged.length, 2);
    assert.ok(!logged[0]?.includes("{notes}") && logged[1]?.includes("{notes}"));
    assert.deepEqual(sent, [logged[1]]);
  }
});
