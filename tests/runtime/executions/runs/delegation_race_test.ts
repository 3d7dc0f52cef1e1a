// Parents and children that move at the same time: whatever comes first, nobody waits for ever and nothing is lost.
import assert from "node:assert/strict";
import { settle, TestClock } from "../../../support/test_clock.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  toEnd,
} from "../../../support/test_workspace.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import { until } from "../../../support/until.ts";
import { answer, ASK, call, delegate, idsOf, statusOf, untilStatus } from "../executions_of.ts";

Deno.test("a parent does not begin to wait for a child that was answered while other calls ran", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", [
    { call: [delegate("middle"), delegate("slow")] },
    { say: "All done." },
  ], "agents: [middle, slow]");
  await place.writeScript("middle", [
    { call: [delegate("asker"), delegate("asker")] },
    { say: "Middle is done." },
  ], "agents: [asker]");
  await place.writeScript("asker", [ASK, { say: "Said {result}", delay_ms: 45_000 }]);
  await place.writeScript("slow", [{ say: "Slow.", delay_ms: 5_000 }]);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const lead = await runtime.run("lead", {});
  await until(async () => (await idsOf(runtime, "asker")).length === 2, "two askers");
  const [middle = 0] = await idsOf(runtime, "middle");
  await untilStatus(runtime, middle, "waiting");
  const [one = 0, two = 0] = await idsOf(runtime, "asker");
  await answer(runtime, two, { text: "red" });
  assert.equal(await statusOf(runtime, middle), "running");
  await until(() => clock.awaits(45_000) && clock.awaits(5_000), "both at their models");
  await clock.advance(5_000);
  const [slow = 0] = await idsOf(runtime, "slow");
  await untilStatus(runtime, slow, "success");
  await answer(runtime, one, { text: "blue" });
  await until(() => clock.awaits(45_000), "the other asker at its model");
  await clock.advance(45_000);
  assert.deepEqual(await toEnd(runtime, lead.id).then(({ status }) => status), "success");
});

/** lead -> asker, which after its answer works for a long time. */
const LEAD = [{ call: [delegate("asker")] }, { say: "Heard {result}" }];
const LONG_MS = 3_600_000;

Deno.test("a cancel of the parent and an answer to the child at once: whichever is first, both end", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", LEAD, "agents: [asker]\non_pending: parallel");
  await place.writeScript("asker", [ASK, { say: "Late.", delay_ms: LONG_MS }]);
  await using runtime = await place.open({ clock: new TestClock() });
  const answered = new Set<string>();
  for (let round = 0; round < 12 || answered.size < 2; round++) {
    const { id } = await runToEnd(runtime, "lead");
    const child = (await idsOf(runtime, "asker")).at(-1) ?? 0;
    const { requestId } = await runtime.pendingRequest(id);
    const respond = () => runtime.respond(child, { requestId, answer: { text: "yes" } });
    const cancel = () => runtime.cancel(id);
    const first = round % 2 === 0 ? respond() : cancel();
    // An answer looks first whether config.yaml has changed, which takes turns of the system. A server takes more of them.
    for (let turn = 0; turn < round / 2; turn++) {
      if (IS_POSTGRES) await settle();
      else await (round % 2 === 0 ? Deno.lstat(place.root) : Promise.resolve());
    }
    const second = round % 2 === 0 ? cancel() : respond();
    const outcomes = await Promise.allSettled([first, second]);
    const [answer, cancelled] = round % 2 === 0 ? outcomes : outcomes.toReversed();
    answered.add(answer?.status ?? "");
    assert.equal(cancelled?.status, "fulfilled");
    for (const one of [id, child]) {
      await untilStatus(runtime, one, "aborted");
      const frames = await payloadsOf(runtime, one);
      assert.equal(frames.filter(({ event_type }) => event_type === "complete").length, 1);
      assert.equal(frames.at(-1)?.["event_type"], "complete");
    }
  }
  assert.deepEqual(await runtime.countExecutions(), { running: 0, waiting: 0 });
});

Deno.test("a cancel of the child and a cancel of the parent it wakes: both end", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript(
    "lead",
    [LEAD[0], { say: "Late.", delay_ms: LONG_MS }],
    "agents: [asker]\non_pending: parallel",
  );
  await place.writeScript("asker", [ASK, { say: "Never." }]);
  await using runtime = await place.open({ clock: new TestClock() });
  for (let round = 0; round < 10; round++) {
    const { id } = await runToEnd(runtime, "lead");
    const child = (await idsOf(runtime, "asker")).at(-1) ?? 0;
    const first = runtime.cancel(child);
    for (let turn = 0; turn < round; turn++) await Promise.resolve();
    await Promise.all([first, runtime.cancel(id)]);
    await untilStatus(runtime, id, "aborted");
    assert.equal(await statusOf(runtime, child), "aborted");
  }
});

Deno.test("answers to parent and child at once: one counts, and the call below runs once", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", LEAD, "agents: [asker]");
  await place.writeScript("asker", [
    { call: [call("file_move", { source: "a.txt", destination: "b.txt" })] },
    { say: "Moved." },
  ], "confirm: [file_move]");
  await Deno.writeTextFile(`${place.workspace}/a.txt`, "a");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "lead");
  const [child = 0] = await idsOf(runtime, "asker");
  const { requestId } = await runtime.pendingRequest(child);
  const answers = await Promise.allSettled(
    Array.from(
      { length: 20 },
      (_, n) =>
        runtime.respond(n % 2 === 0 ? id : child, { requestId, answer: { approved: n % 3 === 0 } }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
  const counted = answers.findIndex(({ status }) => status === "fulfilled");
  assert.match((await toEnd(runtime, id)).outputData ?? "", /Heard .*Moved/);
  const words = counted % 3 === 0 ? "Approved" : "Denied";
  const told = (await payloadsOf(runtime, id)).filter(({ content }) => content === words);
  assert.equal(told.length, 1);
});

Deno.test("an execution takes no answer to a question that is not asked below it", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", LEAD, "agents: [asker]\non_pending: parallel");
  await place.writeScript("asker", [ASK, { say: "Said {result}" }], "on_pending: parallel");
  await using runtime = await place.open();
  const one = await runtime.run("lead", {});
  const two = await runtime.run("lead", {});
  const alone = await runtime.run("asker", {});
  for (const { id } of [one, two, alone]) await toEnd(runtime, id);
  const { requestId } = await runtime.pendingRequest(two.id);
  const [asker] = await runtime.listExecutions({ parentId: one.id, limit: 1, offset: 0 });
  for (const stranger of [one.id, alone.id, asker?.id ?? 0]) {
    await assert.rejects(
      runtime.respond(stranger, { requestId, answer: { text: "x" } }),
      /older request/,
    );
  }
  assert.equal((await runtime.countExecutions()).waiting, 5);
});

Deno.test("of several waiting children a parent's log, stream and pending tell the same question: the oldest", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", [
    { call: [delegate("late"), delegate("early")] },
    { say: "Done." },
  ], "agents: [late, early]");
  await place.writeScript("late", [
    { call: [call("ask_user", { question: "Late?" })], delay_ms: 2_000 },
    { say: "x" },
  ]);
  await place.writeScript("early", [{ call: [call("ask_user", { question: "Early?" })] }, {
    say: "x",
  }]);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("lead", {});
  await until(async () => (await runtime.countExecutions()).waiting === 1, "the early one asks");
  await until(() => clock.awaits(2_000), "the late one at its model");
  await clock.advance(2_000);
  const signal = new AbortController().signal;
  let last = "";
  for await (const item of await runtime.follow(id, { after: 0, signal })) {
    last = item.type === "waiting" ? item.payload : "";
  }
  const { requestId, message } = await runtime.pendingRequest(id);
  assert.equal(message, "Early?");
  assert.equal(JSON.parse(last).request_id, requestId);
  const interrupt = (await payloadsOf(runtime, id)).at(-1);
  assert.deepEqual([interrupt?.["event_type"], interrupt?.["request_id"]], [
    "interrupt",
    requestId,
  ]);
  // A client that comes back behind the last frame is told at once that there is nothing but to answer.
  const frames = await runtime.readFrames(id, { after: 0 });
  const items = [];
  for await (const item of await runtime.follow(id, { after: frames.at(-1)?.id ?? 0, signal })) {
    items.push(item.type);
  }
  assert.deepEqual(items, ["waiting"]);
});
