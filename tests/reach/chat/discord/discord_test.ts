// Discord over its real packages: sessions that break off, messages that the bot missed, and Discord's own rules.
import assert from "node:assert/strict";
import { createLocalClient } from "../../../../app/local_client.ts";
import { SystemClock } from "../../../../base/clock.ts";
import { MINUTE_MS } from "../../../../base/time_units.ts";
import { toPayload } from "../../../../reach/chat/discord_wire.ts";
import { call } from "../../../runtime/executions/executions_of.ts";
import { until } from "../../../support/until.ts";
import { type AppWorld, testApp } from "../apps/app_world.ts";
import { openDiscord, type TestedApp } from "../apps/tested_app.ts";
import { BOT, directOf, DiscordServer, PEOPLE } from "./discord_server.ts";

const { owner: OWNER, guest: GUEST, group: GROUP } = PEOPLE;
const TO_OWNER = directOf(OWNER);

/** Registers a test. The package waits for a moment after a closed socket before it opens the next one. */
function testDiscord(
  name: string,
  fn: (world: AppWorld<TestedApp>, server: DiscordServer) => Promise<void>,
): void {
  testApp(name, { server: () => new DiscordServer(), open: openDiscord }, fn);
}

/** Sets Date.now() six seconds ahead. The package waits for five seconds between two identifications. */
function setClockAhead(): Disposable {
  const { now } = Date;
  Date.now = () => now() + 6_000;
  return { [Symbol.dispose]: () => Date.now = now };
}

const countOf = (server: DiscordServer, method: string) =>
  server.calls.filter((one) => one === method).length;

testDiscord(
  "a session that breaks off is resumed, and no message is lost or handled twice",
  async (world, server) => {
    server.heartbeatMs = 20;
    await using _service = await world.open();
    await until(() => countOf(server, "op 1") > 2, "three heartbeats");
    server.drop(4_000);
    server.say(OWNER, "While it was gone");
    await world.seen(TO_OWNER, "While it was gone");
    server.command(7);
    await until(() => countOf(server, "op 6") === 2, "a second resumption");
    server.say(OWNER, "After a request to reconnect");
    await world.seen(TO_OWNER, "After a request");
    assert.equal(countOf(server, "op 2"), 1);
    assert.equal(server.in(TO_OWNER).length, 2);
  },
);

testDiscord(
  "a session that Discord forgets begins again, and missed messages are read",
  async (world, server) => {
    await using _service = await world.open();
    server.say(OWNER, "First");
    await world.seen(TO_OWNER, "First");
    using _ahead = setClockAhead();
    server.drop(4_009, { isForgotten: true });
    server.say(OWNER, "Missed");
    server.mention(GUEST, GROUP, "missed in the group");
    server.say(GUEST, "not for the bot", { channel: GROUP });
    await world.seen(TO_OWNER, "Missed");
    await world.seen(GROUP, "missed in the group");
    await world.handled();
    assert.equal(server.in(TO_OWNER).length, 2);
    assert.equal(server.in(GROUP).length, 1);
  },
);

testDiscord(
  "messages of an absence are read in pages, oldest first, and late ones are asked about",
  async (world, server) => {
    server.say(OWNER, "before the chat knew anybody", { ageMs: 11 * MINUTE_MS });
    for (let n = 0; n < 120; n++) server.say(PEOPLE.stranger, `noise ${n}`, { channel: GROUP });
    server.mention(GUEST, GROUP, "at the end");
    server.say(OWNER, "Just now", { ageMs: 9 * MINUTE_MS });
    // A person may have blocked the bot.
    server.closedPlaces.add(directOf(GUEST));
    {
      await using _service = await world.open();
      await world.seen(TO_OWNER, "Just now");
      await world.seen(GROUP, "at the end");
      assert.equal(server.in(TO_OWNER).length, 1);
    }
    server.say(OWNER, "Long ago", { ageMs: 11 * MINUTE_MS });
    await using _again = await world.open();
    server.say(OWNER, "Now");
    await world.seen(TO_OWNER, "Now");
    assert.equal(server.in(TO_OWNER).length, 2);
    assert.equal(server.in(GROUP).length, 1);
  },
);

testDiscord("the code of a pairing is not read again after a restart", async (world, server) => {
  {
    await using service = await world.open();
    using client = createLocalClient(service.runtime);
    const { code } = await client.pairChat("team");
    server.say(PEOPLE.stranger, code);
    await world.seen(directOf(PEOPLE.stranger), "Confirm it");
  }
  const path = `${world.place.configDir}/config.yaml`;
  const text = await Deno.readTextFile(path);
  const third = `      - { id: "${PEOPLE.stranger}", name: third }\n`;
  await Deno.writeTextFile(path, text.replace("    groups:", `${third}    groups:`));
  await using _again = await world.open();
  server.say(PEOPLE.stranger, "Hello");
  await world.seen(directOf(PEOPLE.stranger), "Hello");
  assert.equal(server.in(directOf(PEOPLE.stranger)).length, 2);
});

testDiscord(
  "bots, webhooks, system messages and messages without the bot's name start nothing",
  async (world, server) => {
    await using _service = await world.open();
    server.say(OWNER, "by a bot", { author: { id: OWNER, username: "x", bot: true } });
    server.say(OWNER, "by a webhook", { webhook_id: "1" });
    server.say(OWNER, "pinned", { type: 6 });
    server.say(OWNER, "not addressed", { channel: GROUP });
    server.say(OWNER, "", { channel: GROUP, type: 19, message_reference: { message_id: "1" } });
    server.say(OWNER, "to another bot", { channel: GROUP, mentions: [{ id: `${BOT}1` }] });
    server.deliver("MESSAGE_UPDATE", { id: "1", channel_id: TO_OWNER, content: "edited" });
    server.deliver("INTERACTION_CREATE", { id: "1", type: 2, token: "t", data: { name: "x" } });
    await world.handled();
    assert.deepEqual(await world.place.all("SELECT id FROM executions"), []);
    assert.equal(server.shown.length, 1);
  },
);

testDiscord(
  "a press is acknowledged at once, also while a message is being handled",
  async (world, server) => {
    const write = call("file_write", { path: "a.txt", content: "x" });
    await world.place.writeScript("writer", [{ call: [write] }, { say: "Over" }]);
    await using service = await world.open();
    await service.runtime.run("writer", {});
    const question = await world.seen(TO_OWNER, "writer asks");
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    server.isReceived = async (method) => {
      if (method !== "POST /channels/messages") return true;
      reached.resolve();
      await goOn.promise;
      return true;
    };
    server.say(OWNER, "!help");
    await reached.promise;
    server.press(OWNER, question, question.buttons["Approve"]!);
    await until(() => server.calls.includes("POST /interactions/token/callback"), "acknowledged");
    const texts = () => server.whispers.map(({ text }) => text);

    assert.deepEqual(texts(), []);

    goOn.resolve();

    await until(() => texts().length === 1, "the press is handled");

    assert.deepEqual(texts(), ["Answered."]);
  },
);

testDiscord(
  "a press in a conversation of others, where an app of a user can be, answers nothing",
  async (world, server) => {
    await using _service = await world.open();
    const other = { channel: { id: "700000000000000009", type: 3 }, context: 2 };
    server.press(OWNER, { id: "1", place: TO_OWNER }, "late:run", other);
    await world.handled();
    assert.deepEqual(server.whispers, []);
  },
);

testDiscord(
  "a refused token is logged, and the chat tries again; a stopped chat is not connected",
  async (world, server) => {
    class HastyClock extends SystemClock {
      override sleep(ms: number, signal?: AbortSignal): Promise<void> {
        return super.sleep(Math.min(ms, 20), signal);
      }
    }
    const service = await world.open({ clock: new HastyClock() });
    const logged = () => JSON.stringify(world.place.logged);
    using _ahead = setClockAhead();
    server.drop(4_004, { isForgotten: true });
    await until(() => countOf(server, "op 2") === 2, "a second session");
    server.say(OWNER, "Still here");
    await world.seen(TO_OWNER, "Still here");
    assert.match(logged(), /Discord refused the token/);
    assert.doesNotMatch(logged(), /Unhandled|discord\.test\.token/);
    await service[Symbol.asyncDispose]();
    assert.equal(server.isConnected, false);
  },
);

Deno.test("no text of a message is markup, and each fits a message", () => {
  const texts = [
    ...["**bold** __u__ ~~s~~ ||spoiler||", "# Title", "> quote", "- item", "<@1> <#2> <:a:3>"],
    ...["[text](https://a.example)", "`code`", ":tada:", "\\*kept\\*", "```\nblock\n```"],
  ];
  for (const text of texts) {
    const { content = "" } = toPayload({ text });
    assert.equal(content.replaceAll(/\\([^0-9A-Za-z\s])/g, "$1"), text);
    assert.match(content, /\\/);
  }
  assert.equal(
    toPayload({ text: "https://a.example/x_y_z?q=1" }).content,
    "https://a.example/x_y_z?q=1",
  );
  const fence = "`".repeat(950);
  for (const post of [{ text: "*".repeat(1_900) }, { text: fence, code: fence }]) {
    const { content = "" } = toPayload(post);
    assert.ok(content.length <= 2_000);
    assert.equal(content.split("```").length % 2, 1);
  }
  const buttons = Array.from({ length: 30 }, (_, n) => [{ label: `${n}`, data: `${n}` }]);
  const rows = toPayload({ text: "Many", buttons }).components as {
    components: { label: string }[];
  }[];
  assert.deepEqual(rows.map(({ components }) => components.length), [5, 5, 5, 5, 5]);
  assert.equal(rows.at(-1)?.components.at(-1)?.label, "29");
});
