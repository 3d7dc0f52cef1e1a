// Messages that nobody asked for, runs in progress, expired questions, and several nodes.
import assert from "node:assert/strict";
import { Chats, openChatChannel } from "../../../app/chats.ts";
import { SystemClock } from "../../../base/clock.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import { MessageChannels } from "../../../runtime/wiring/message_channels.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { call } from "../../runtime/executions/executions_of.ts";
import { createTestPostgres, withPostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { ECHO } from "./apps/app_world.ts";
import { createChatWorld, GUEST, OWNER, STRANGER } from "./chat_world.ts";
import { refuse } from "./telegram_server.ts";

Deno.test("a question that expires is edited and loses its buttons", async () => {
  await using world = await createChatWorld();
  const clock = new TestClock();
  const steps = [{ call: [call("file_write", { path: "a.txt", content: "x" })] }, { say: "Over" }];
  await world.place.writeScript("writer", steps, "confirm_timeout: 20s");
  await using service = await world.open({ clock });
  await service.runtime.run("writer", {});
  const question = await world.seen(OWNER, "writer asks");
  const approve = question.buttons["Approve"]!;
  await until(() => clock.awaits(20 * SECOND_MS), "the watch over deadlines");
  await clock.advance(20 * SECOND_MS);
  const { text } = await world.seen(OWNER, "➜");
  assert.doesNotMatch(text, /owner|Approved/);
  assert.deepEqual(question.buttons, {});
  world.app.press(OWNER, question, approve);
  await until(() => world.app.acknowledged.size === 1, "the late press is acknowledged");
  assert.deepEqual([...world.app.acknowledged.values()], ["This question is no longer open."]);
  await assert.rejects(Deno.stat(`${world.place.workspace}/a.txt`));
});

Deno.test("failures go to people who may answer, and wait for the end of quiet hours", async () => {
  await using world = await createChatWorld({
    config: 'notify: { on: [error], quiet: { from: "22:00", to: "07:00", timezone: UTC } }',
  });
  const clock = new TestClock("2026-01-02T06:58:00.000Z");
  await world.place.writeScript("broken", [{ fail: "The disk is full" }]);
  await using service = await world.open({ clock });
  await service.runtime.run("broken", {});
  await until(async () => (await service.runtime.getExecution(1)).finishedAt !== null, "failed");
  await clock.advance(MINUTE_MS);
  world.app.say(OWNER, "/help");
  await world.seen(OWNER, "/run");
  assert.equal(world.app.in(OWNER).length, 1);
  await until(async () => {
    await clock.advance(10 * SECOND_MS);
    return world.app.in(OWNER).length === 2;
  }, "the failure is sent");
  await world.seen(OWNER, "The disk is full");
  assert.ok(clock.now() >= Date.parse("2026-01-02T07:00:00.000Z"));
  assert.deepEqual(world.app.in(GUEST), []);
});

Deno.test("a person who has blocked the bot keeps no message from the others", async () => {
  await using world = await createChatWorld({
    person: `{ id: ${STRANGER}, name: third, may: [answer] }`,
  });
  await world.place.writeScript("broken", [{ fail: "The disk is full" }]);
  await world.place.writeScript("asker", [{
    call: [call("ask_user", { question: "Which color?" })],
  }]);
  await using service = await world.open();
  const refusal = () => refuse(403, { description: "Forbidden: bot was blocked by the user" });
  for (
    const [agent, text] of [["broken", "The disk is full"], ["asker", "Which color?"]] as const
  ) {
    world.app.refusals.push({ method: "sendMessage", response: refusal });
    await service.runtime.run(agent, {});
    await world.seen(STRANGER, text);
  }
  assert.deepEqual(world.app.in(OWNER), []);
  const refusedPeople = () =>
    world.place.logged.filter(({ message }) => message === "A person of a chat gets no messages")
      .map(({ fields }) => fields["person"]);
  // The refusals are logged after everybody else has the message.
  await until(() => refusedPeople().length === 2, "the log of both refusals");
  assert.deepEqual(refusedPeople(), ["owner", "owner"]);
});

Deno.test("notify --test sends a message to a chat, and names the reason if nobody gets it", async () => {
  await using world = await createChatWorld();
  const trial = async () => {
    const settings = await world.place.settings();
    const clock = new SystemClock();
    const channels = new MessageChannels({
      settings,
      redactor: new Redactor(() => []),
      clock,
      openChat: (chat) => openChatChannel(chat, { ...settings, clock }),
      ownPorts: () => [],
    });
    return await channels.try("phone");
  };
  assert.equal((await trial())?.delivered, true);
  await world.seen(OWNER, "Messages of Inkling arrive here");
  assert.deepEqual(world.app.in(GUEST), []);
  const path = `${world.place.configDir}/config.yaml`;
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace(", answer", ""));
  const { delivered, reply } = (await trial())!;
  assert.deepEqual([delivered, reply], [false, "nobody in its people may answer"]);
});

Deno.test("typing shows while a run goes on, and /cancel ends one's own run only", async () => {
  await using world = await createChatWorld();
  const clock = new TestClock();
  await world.place.writeScript("concierge", [{ say: "Too late", delay_ms: HOUR_MS }]);
  await using service = await world.open({ clock });
  const { app } = world;
  app.say(GUEST, "Think");
  await until(() => app.calls.includes("sendChatAction"), "the bot shows that it writes");
  const before = app.calls.filter((one) => one === "sendChatAction").length;
  await until(async () => {
    await clock.advance(4 * SECOND_MS);
    return app.calls.filter((one) => one === "sendChatAction").length > before;
  }, "it shows it again");
  app.say(OWNER, "/cancel");
  await world.seen(OWNER, "Nothing of yours runs here");
  app.say(GUEST, "/cancel");
  await world.seen(GUEST, "Execution 1 is cancelled");
  await until(async () => (await service.runtime.getExecution(1)).finishedAt !== null, "ended");
  await world.seen(GUEST, "aborted: Cancelled by user");
  app.say(GUEST, "/cancel 1");
  await until(() => app.isRead, "read");
  assert.ok(app.in(GUEST).every(({ text }) => !text.includes("Too late")));
});

withPostgres.test("of two nodes one receives, and the other takes over", async () => {
  await using database = await createTestPostgres();
  await using world = await createChatWorld({ shell: { INKLING_DATABASE_URL: database.address } });
  const clock = new TestClock();
  await world.place.writeAgent("concierge", ECHO);
  let other: Chats | undefined;
  {
    await using service = await world.open({ clock });
    await until(() => world.app.calls.includes("getUpdates"), "the first node polls");
    other = new Chats(service.runtime, await world.place.settings());
    await other.update();
    await until(() => clock.countAwaiting(20 * SECOND_MS) >= 2, "the second node waits");
    world.app.say(OWNER, "Who is there");
    await world.seen(OWNER, "Who is there");
    await clock.advance(2 * MINUTE_MS);
    world.app.say(OWNER, "And now");
    await world.seen(OWNER, "And now");
    await other[Symbol.asyncDispose]();
  }
  assert.equal(world.app.mostPolls, 1);
  const polls = world.app.calls.length;
  await using _next = await world.open({ clock });
  // The clock does not go on: the stopped node has released its claim.
  await until(() => world.app.calls.slice(polls).includes("getUpdates"), "the next node polls");
  world.app.say(OWNER, "Still there");
  await world.seen(OWNER, "Still there");
  assert.equal(world.app.in(OWNER).length, 3);
});

withPostgres.test("two nodes that show a question at once show it once", async () => {
  await using database = await createTestPostgres();
  await using world = await createChatWorld({ shell: { INKLING_DATABASE_URL: database.address } });
  const steps = [{ call: [call("file_write", { path: "a.txt", content: "x" })] }, { say: "Over" }];
  await world.place.writeScript("writer", steps);
  const sending = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  world.app.afterEffect = async (method) => {
    if (method !== "sendMessage") return;
    sending.resolve();
    await goOn.promise;
  };
  await using service = await world.open();
  const { runtime } = service;
  await using other = new Chats(runtime, await world.place.settings());
  await other.update();
  await runtime.run("writer", {});
  // The first node has sent the question, and does not know it yet.
  await sending.promise;
  const [chat] = runtime.config.chats;
  const question = await runtime.pendingRequest(1);
  const post = () =>
    other.post(
      chat!,
      { title: "", text: "", executionId: 1, requestId: question.requestId, isReminder: false },
      new AbortController().signal,
    );
  await assert.rejects(post, /another node shows this question/);
  goOn.resolve();
  await until(() => post().then(() => true, () => false), "the first node has noted the question");
  assert.equal(world.app.in(OWNER).length, 1);
});
