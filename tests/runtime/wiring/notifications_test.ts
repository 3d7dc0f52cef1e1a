// Tests the notifications of a whole runtime: its events reach a receiver.
import assert from "node:assert/strict";
import { HOUR_MS } from "../../../base/time_units.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { Receiver } from "../notify/receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

async function openPlace(receiver: Receiver): Promise<TestWorkspace> {
  const shell = { HOOK: SECRET, SLACK: `${receiver.url}/s3cr3t-path` };
  const place = await createTestWorkspace({ shell });
  await place.configure(`public_url: https://inkling.example
notify:
  channels:
    hook: { type: webhook, url: "${receiver.url}", secret: HOOK }
    lost: { type: slack, url: NO_SUCH }
  to: [hook]
`);
  return place;
}

const FAIL = { fail: "The provider is gone" };

Deno.test("failures, questions, loops, budget warnings, missed times and stopped triggers reach the receiver", async () => {
  await using receiver = new Receiver();
  await using place = await openPlace(receiver);
  await place.writeScript("broken", [FAIL]);
  const call = [{ name: "ask_user", arguments: { question: `Is ${SECRET} yours?` } }];
  await place.writeScript("asker", [{ call }]);
  const again = { call: [{ name: "file_read", arguments: { path: "none.md" } }] };
  await place.writeScript("circle", [again, again, again, again, { say: "Done." }]);
  await place.writeScript("quiet", [FAIL], "notify: { on: [] }");
  await place.writeScript("timed", [{ say: "x" }], "trigger: { type: schedule, every: 1h }");
  const clock = new TestClock();
  const types = () => receiver.received.map(({ body }) => `${body.type} ${body.data.agent_id}`);
  {
    await using runtime = await place.open({ clock });
    for (const agent of ["broken", "asker", "circle", "quiet"]) await runToEnd(runtime, agent);
    const stopped = { agentId: "timed", displayName: "timed", reason: "It fired too often" };
    runtime.events.publish({ type: "trigger_changed", ...stopped, status: "paused" });
    runtime.events.publish({
      type: "trigger_changed",
      ...stopped,
      status: "running",
      reason: null,
    });
    runtime.events.publish({
      type: "budget_warning",
      agentId: "broken",
      displayName: "broken",
      rootId: null,
      budget: "per_day",
      unit: "usd",
      used: 1.6,
      limit: 2,
      resetsAt: null,
      message: "broken has spent $1.60 of $2.00 today",
    });
    await until(() => receiver.received.length === 5, "five messages");
    const isDone = async () => !await runtime.messages.hasOpen();
    await until(isDone, "no message that is still to be sent");
    const [token] = /[\w-]{43}$/.exec(receiver.received[1]?.body.data.answer_url) ?? [""];
    const link = await runtime.messages.findLink(token);
    assert.equal(link?.state, "open");
    const { requestId = "", executionId = 0 } = link ?? {};
    await runtime.respond(executionId, { requestId, answer: { text: "yes" } });
    assert.equal((await runtime.messages.findLink(token))?.state, "answered");
  }
  // Messages about events that follow each other at once may overtake each other.
  assert.deepEqual(types().slice(0, 5).sort(), [
    "inkling.budget broken",
    "inkling.error broken",
    "inkling.loop circle",
    "inkling.loop timed",
    "inkling.waiting asker",
  ]);
  const budget = receiver.received.find(({ body }) => body.type === "inkling.budget");
  const { title, text } = budget?.body.data ?? {};
  assert.deepEqual([title, text], ["Budget of broken", "broken has spent $1.60 of $2.00 today"]);
  assert.match(receiver.received[1]?.body.data.text, /^Is \[redacted:HOOK\] yours\?\n/);
  const missing = place.logged.find(({ message }) => message.startsWith("The channel lost"));
  assert.match(missing?.message ?? "", /the variable NO_SUCH is not set/);

  clock.jump(3 * HOUR_MS + 1);
  await using _runtime = await place.open({ clock });
  await until(() => types().includes("inkling.missed timed"), "the missed time");
  const missed = receiver.received.find(({ body }) => body.type === "inkling.missed");
  assert.equal(missed?.body.data.title, "timed missed 2 runs");
});

Deno.test("a read-only runtime sends no message", async () => {
  await using receiver = new Receiver();
  await using place = await openPlace(receiver);
  const steps = [{ call: [{ name: "ask_user", arguments: { question: "Well?" } }] }];
  await place.writeScript("asker", steps);
  {
    await using runtime = await place.open();
    await runToEnd(runtime, "asker");
    await until(() => receiver.received.length === 1, "the question");
    await until(async () => !await runtime.messages.hasOpen(), "it is known that it has come");
  }
  {
    await using upkeep = await place.open({ mode: "upkeep" });
    await upkeep.purgeCheckpoints({ force: true });
    assert.equal(await upkeep.messages.hasOpen(), false);
  }
  assert.equal(receiver.received.length, 1);
});
