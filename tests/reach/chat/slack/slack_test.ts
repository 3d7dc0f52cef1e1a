// Slack over its real packages: messages, questions, files, and what Slack repeats, refuses and closes.
import assert from "node:assert/strict";
import { until } from "../../../support/until.ts";
import { directOf } from "./slack_server.ts";
import {
  CHANNEL,
  createSlackWorld,
  GUEST,
  OWNER,
  type SlackWorld,
  STRANGER,
} from "./slack_world.ts";

const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\n\nAnswer.\n";
const TO_OWNER = directOf(OWNER);

/** Runs a test. The socket's package has one timer per process, which goes on for a moment after the last socket. */
function testSlack(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

async function countRuns({ place }: SlackWorld): Promise<number> {
  return (await place.all("SELECT id FROM executions")).length;
}

testSlack(
  "a message starts one run, and its answer comes back; a repeated delivery starts none",
  async () => {
    await using world = await createSlackWorld();
    const { app } = world;
    await world.place.writeAgent("concierge", ECHO);
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
  async () => {
    await using world = await createSlackWorld();
    const { app } = world;
    await world.place.writeAgent("concierge", ECHO);
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
  "a channel of groups is served in the thread of the mention; !name is a command",
  async () => {
    await using world = await createSlackWorld();
    const { app } = world;
    await world.place.writeAgent("concierge", ECHO);
    await using _service = await world.open();
    const ts = app.mention(GUEST, CHANNEL, "hello all");
    assert.equal((await world.seen(CHANNEL, "hello all")).thread, ts);
    app.mention(GUEST, CHANNEL, "and more", { thread_ts: ts });
    assert.equal((await world.seen(CHANNEL, "and more")).thread, ts);
    app.say(GUEST, "!recap");
    await world.seen(directOf(GUEST), "You may not do this");
    app.say(GUEST, "!nothing");
    await world.seen(directOf(GUEST), "There is no command !nothing. Try !help.");
    app.say(OWNER, "!recap");
    await world.seen(TO_OWNER, "2 succeeded");
  },
);

testSlack("long answers are split or a file, and no text is markup", async () => {
  await using world = await createSlackWorld();
  const { app } = world;
  const mean = "<!channel> *bold* <https://a.example|b>";
  await world.place.writeScript("concierge", [{ say: mean }]);
  await world.place.writeScript("long", [{ say_repeat: { text: "word ", times: 1_500 } }]);
  await world.place.writeScript("novelist", [{ say_repeat: { text: "word ", times: 9_000 } }]);
  await using _service = await world.open();
  app.say(OWNER, "Hi");
  const { text, fallback } = await world.seen(TO_OWNER, "bold");
  assert.equal(text, mean);
  assert.doesNotMatch(fallback, /[<>]/);
  app.say(OWNER, "!run long");
  await until(() => app.in(TO_OWNER).length === 4, "three messages more");
  app.say(OWNER, "!run novelist");
  await until(() => app.files.length === 1, "a file");
  assert.equal(app.files[0]?.place, TO_OWNER);
  assert.equal(app.files[0]?.text.trim().split(/\s+/).length, 9_000);
});

testSlack(
  "pauses that Slack asks for lose nothing, and a recycled socket is opened again",
  async () => {
    await using world = await createSlackWorld();
    const { app } = world;
    await world.place.writeAgent("concierge", ECHO);
    app.refusals.push({
      method: "chat.postMessage",
      response: () => new Response("", { status: 429, headers: { "retry-after": "1" } }),
    });
    await using _service = await world.open();
    app.say(OWNER, "Patience");
    await world.seen(TO_OWNER, "Patience");
    assert.equal(app.calls.filter((one) => one === "chat.postMessage").length, 2);
    app.recycle();
    const opened = () => app.calls.filter((one) => one === "apps.connections.open").length;
    await until(() => opened() === 2, "a second socket");
    app.say(OWNER, "Still here");
    await world.seen(TO_OWNER, "Still here");
  },
);
