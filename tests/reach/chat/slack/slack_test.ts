// Slack over its real packages: messages, questions, files, and what Slack repeats, refuses and closes.
import assert from "node:assert/strict";
import { toPayload } from "../../../../reach/chat/slack_wire.ts";
import { until } from "../../../support/until.ts";
import { type AppWorld, createAppWorld } from "../apps/app_world.ts";
import { openSlack, type TestedApp } from "../apps/tested_app.ts";
import { directOf, PEOPLE, SlackServer } from "./slack_server.ts";

const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\n\nAnswer.\n";
const { owner: OWNER, guest: GUEST, stranger: STRANGER, group: CHANNEL } = PEOPLE;
const TO_OWNER = directOf(OWNER);

/** Runs a test. The socket's package has one timer per process, which goes on for a moment after the last socket. */
function testSlack(
  name: string,
  fn: (world: AppWorld<TestedApp>, app: SlackServer) => Promise<void>,
): void {
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const app = new SlackServer();
      await using world = await createAppWorld(openSlack(app));
      await world.place.writeAgent("concierge", ECHO);
      await fn(world, app);
    },
  });
}

async function countRuns({ place }: AppWorld<TestedApp>): Promise<number> {
  return (await place.all("SELECT id FROM executions")).length;
}

testSlack(
  "a message starts one run, and its answer comes back; a repeated delivery starts none",
  async (world, app) => {
    {
      await using _service = await world.open();
      const payload = app.say(OWNER, "Is 1 &lt; 2 &amp; <https://a.example/x|this>?");
      app.deliver("events_api", payload, 1);
      await world.seen(TO_OWNER, "Is 1 < 2 & https://a.example/x?");
      const again = app.deliver("events_api", payload, 2);
      await until(() => app.isRead, "all envelopes are confirmed");
      assert.equal(app.confirmations(again), 1);
      assert.equal(await countRuns(world), 1);
      app.deliver("events_api", payload, 3);
      await until(() => app.isRead, "the repetition is confirmed");
    }
    app.say(OWNER, "Sent while nobody listened");
    await using _again = await world.open();
    await world.seen(TO_OWNER, "Sent while nobody listened");
    assert.equal(await countRuns(world), 2);
    assert.equal(app.in(TO_OWNER).length, 2);
  },
);

testSlack(
  "strangers, other bots, edits and unbound channels start nothing and get nothing",
  async (world, app) => {
    await using _service = await world.open();
    app.say(STRANGER, "Hello");
    app.mention(STRANGER, CHANNEL, "Hello");
    app.mention(OWNER, "C99OTHER", "Hello");
    app.say(OWNER, "by a bot", { bot_id: "B2" });
    app.say(OWNER, "edited", { subtype: "message_changed" });
    app.say(OWNER, "not a mention", { channel: CHANNEL, channel_type: "channel" });
    app.press(STRANGER, { ts: "1.1", place: directOf(STRANGER) }, "approve");
    app.deliver("slash_commands", { command: "/x", text: "", user_id: OWNER, channel_id: CHANNEL });
    app.say(OWNER, "", { attachments: [{ is_share: true, text: "Pay the invoice" }] });
    await world.seen(TO_OWNER, "Forwarded text");
    await until(() => app.isRead, "all envelopes are confirmed");
    assert.deepEqual(app.shown.map(({ place }) => place), [TO_OWNER]);
    assert.deepEqual(app.whispers, []);
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
