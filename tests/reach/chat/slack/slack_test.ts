// Slack over its real packages: messages, questions, files, and what Slack repeats, refuses and closes.
import assert from "node:assert/strict";
import { toPayload } from "../../../../reach/chat/slack_wire.ts";
import { call } from "../../../runtime/executions/executions_of.ts";
import { until } from "../../../support/until.ts";
import { type AppWorld, countRuns, testApp } from "../apps/app_world.ts";
import { openSlack, type TestedApp } from "../apps/tested_app.ts";
import { directOf, PEOPLE, SlackServer } from "./slack_server.ts";

const { owner: OWNER, guest: GUEST, group: CHANNEL } = PEOPLE;
const TO_OWNER = directOf(OWNER);

function testSlack(
  name: string,
  fn: (world: AppWorld<TestedApp>, app: SlackServer) => Promise<void>,
): void {
  testApp(name, { server: () => new SlackServer(), open: openSlack }, fn);
}

testSlack(
  "escaped text is decoded, and each repetition of a message is confirmed and starts no run",
  async (world, app) => {
    await using _service = await world.open();
    const payload = app.say(OWNER, "Is 1 &lt; 2 &amp; <https://a.example/x|this>?");
    app.deliver("events_api", payload, 1);
    await world.seen(TO_OWNER, "Is 1 < 2 & https://a.example/x?");
    const again = app.deliver("events_api", payload, 2);
    await until(() => app.isRead, "all envelopes are confirmed");
    assert.equal(app.confirmations(again), 1);
    assert.equal(await countRuns(world), 1);
  },
);

testSlack(
  "other bots, edits, slash commands and messages without a mention start nothing",
  async (world, app) => {
    await using _service = await world.open();
    app.say(OWNER, "by a bot", { bot_id: "B2" });
    app.say(OWNER, "edited", { subtype: "message_changed" });
    app.say(OWNER, "not a mention", { channel: CHANNEL, channel_type: "channel" });
    app.deliver("slash_commands", { command: "/x", text: "", user_id: OWNER, channel_id: CHANNEL });
    await world.handled();
    assert.deepEqual(app.in(TO_OWNER), []);
    assert.equal(await countRuns(world), 0);
  },
);

testSlack(
  "a channel of groups is served in the thread of the mention",
  async (world, app) => {
    await using _service = await world.open();
    const ts = app.mention(GUEST, CHANNEL, "hello all");
    assert.equal((await world.seen(CHANNEL, "hello all")).replyTo, ts);
    app.mention(GUEST, CHANNEL, "and more", { thread_ts: ts });
    assert.equal((await world.seen(CHANNEL, "and more")).replyTo, ts);
    const long = "word ".repeat(1_500);
    app.mention(GUEST, CHANNEL, `${long}THE END`, { thread_ts: ts });
    assert.equal((await world.seen(CHANNEL, "THE END")).replyTo, ts);
    app.mention(GUEST, CHANNEL, `${long.repeat(3)}THE FILE`, { thread_ts: ts });
    await until(() => app.files.length === 1, "a file");
    assert.deepEqual(app.fileThreads, [ts]);
    assert.ok(app.shown.every(({ thread }) => thread === ts));
  },
);

testSlack(
  "a mention in its thread answers a question in words of a channel",
  async (world, app) => {
    const ask = { call: [call("ask_user", { question: "Which color?" })] };
    await world.place.writeScript("concierge", [ask, { say: "You said {result}" }]);
    await using service = await world.open();
    const ts = app.mention(OWNER, CHANNEL, "paint it");
    assert.equal((await world.seen(CHANNEL, "Which color?")).replyTo, ts);
    // The mention of a person without the right to answer is a message to the agent.
    app.mention(GUEST, CHANNEL, "paint it, too", { thread_ts: ts });
    await world.seen(CHANNEL, "(execution 2)");
    await service.runtime.cancel(2);
    await world.seen(CHANNEL, "No longer open");
    app.mention(OWNER, CHANNEL, "blue", { thread_ts: ts });
    await world.seen(CHANNEL, "You said blue");
    assert.equal((await service.runtime.getExecution(1)).status, "success");
    assert.equal(await countRuns(world), 2);
  },
);

Deno.test("the text for notifications mentions nobody", () => {
  const { text } = toPayload({ text: "<!channel> *bold* <https://a.example|b>" });
  assert.doesNotMatch(text, /[<>]/);
});

testSlack("a recycled socket is opened again", async (world, app) => {
  await using _service = await world.open();
  const opened = () => app.calls.filter((one) => one === "apps.connections.open").length;
  app.say(OWNER, "Hello");
  await world.seen(TO_OWNER, "Hello");
  app.recycle();
  await until(() => opened() === 2, "a second socket");
  app.say(OWNER, "Still here");
  await world.seen(TO_OWNER, "Still here");
});
