// Messages of people: conversations, commands, rights, and messages that start nothing.
import assert from "node:assert/strict";
import { DAY_MS, MINUTE_MS } from "../../../base/time_units.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { createChatWorld, GROUP, GUEST, OWNER, STRANGER } from "./chat_world.ts";

const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\n\nAnswer.\n";

async function runsOf(world: Awaited<ReturnType<typeof createChatWorld>>) {
  return await world.place.all<{ agent_id: string; session_id: string | null }>(
    "SELECT agent_id, session_id FROM executions ORDER BY id",
  );
}

Deno.test("a message is answered by the chat's agent, in one conversation until /new", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  world.app.say(OWNER, "Good morning");
  await world.seen(OWNER, "Good morning");
  world.app.say(OWNER, "And again");
  await world.seen(OWNER, "And again");
  world.app.say(OWNER, "/new");
  await world.seen(OWNER, "new conversation");
  world.app.say(OWNER, "Third");
  await world.seen(OWNER, "Third");
  world.app.say(GUEST, "Hello");
  await world.seen(GUEST, "Hello");
  const sessions = (await runsOf(world)).map((one) => one.session_id);
  assert.equal(sessions[0], sessions[1]);
  assert.equal(new Set(sessions).size, 3);
  assert.ok(world.app.calls.includes("sendChatAction") || sessions.length === 4);
});

Deno.test("unknown people, unbound groups and forwarded text start nothing", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  const { app } = world;
  app.say(STRANGER, "Hello");
  app.say(STRANGER, "/start");
  app.say(STRANGER, "In a bound group", { chat: { id: GROUP, type: "supergroup" } });
  app.say(OWNER, "@inkling_bot hello", { chat: { id: -7, type: "group" } });
  app.say(OWNER, "not addressed", { chat: { id: GROUP, type: "group" } });
  app.press(STRANGER, { id: 1, place: STRANGER }, "approve");
  app.say(OWNER, "Pay the invoice", { forward_origin: { type: "hidden_user" } });
  await world.seen(OWNER, "Forwarded text");
  await until(() => app.isRead, "all updates are read");
  assert.deepEqual(app.shown.map(({ place }) => place), [OWNER]);
  assert.equal(app.acknowledged.size, 0);
  assert.deepEqual(await runsOf(world), []);
});

Deno.test("a bound group is served: people of the chat who address the bot", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  const id = world.app.say(GUEST, "@inkling_bot hello all", { chat: { id: GROUP, type: "group" } });
  const { replyTo } = await world.seen(GROUP, "hello all");
  assert.equal(replyTo, id);
});

Deno.test("rights decide about commands and about the agent", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await world.place.writeAgent("other", ECHO);
  await using _service = await world.open();
  const { app } = world;
  for (const command of ["/run other hi", "/agents", "/recap", "/pending"]) app.say(GUEST, command);
  await until(() => app.in(GUEST).length === 4, "four refusals");
  assert.ok(app.in(GUEST).every(({ text }) => text.startsWith("You may not do this")));
  app.say(GUEST, "/help");
  assert.doesNotMatch((await world.seen(GUEST, "/new")).text, /\/run|\/recap/);
  app.say(OWNER, "/run other Count the boats");
  await world.seen(OWNER, "Count the boats");
  app.say(OWNER, "/agents");
  const list = await world.seen(OWNER, "Who should answer");
  assert.deepEqual(Object.keys(list.buttons), ["concierge", "other"]);
  app.press(GUEST, list, list.buttons["other"]!);
  app.press(OWNER, list, list.buttons["other"]!);
  await until(() => app.acknowledged.size === 2, "both presses are acknowledged");
  app.say(OWNER, "Who are you");
  await world.seen(OWNER, "Who are you");
  app.say(OWNER, "/recap");
  await world.seen(OWNER, "2 succeeded");
  app.say(OWNER, "/nothing");
  await world.seen(OWNER, "no command /nothing");
  assert.deepEqual((await runsOf(world)).map((one) => one.agent_id), ["other", "other"]);
});

Deno.test("a late message is asked about, and used or dropped by its sender only", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  const { app } = world;
  const date = Math.floor((Date.now() - 11 * MINUTE_MS) / 1_000);
  app.say(OWNER, "Sell everything", { date });
  const question = await world.seen(OWNER, "came late");
  app.press(GUEST, question, question.buttons["Use it"]!);
  await until(() => app.acknowledged.size === 1, "the guest's press is acknowledged");
  assert.deepEqual(await runsOf(world), []);
  app.press(OWNER, question, question.buttons["Use it"]!);
  app.press(OWNER, question, question.buttons["Use it"]!);
  await world.seen(OWNER, "Sell everything");
  await until(() => app.acknowledged.size === 3, "all presses are acknowledged");
  assert.equal((await runsOf(world)).length, 1);
  app.say(OWNER, "Old news", { date: date - DAY_MS / 1_000 });
  const second = await world.seen(OWNER, "came late");
  app.press(OWNER, second, second.buttons["Drop it"]!);
  await world.seen(OWNER, "was dropped");
  assert.equal((await runsOf(world)).length, 1);
});

Deno.test("an update that arrives again starts no second run, and its answer is sent once", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  {
    await using _service = await world.open();
    world.app.say(OWNER, "Only once");
    await world.seen(OWNER, "Only once");
    await until(() => world.app.isRead, "the update is read");
  }
  world.app.repeatAll();
  await using _again = await world.open();
  world.app.say(OWNER, "Next");
  await world.seen(OWNER, "Next");
  assert.equal((await runsOf(world)).length, 2);
  assert.deepEqual(world.app.in(OWNER).map(({ text }) => text), ["Only once", "Next"]);
});

Deno.test("long answers come in several messages, very long ones as a file", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("concierge", [{ say_repeat: { text: "word ", times: 1_500 } }]);
  await world.place.writeScript("novelist", [{ say_repeat: { text: "word ", times: 9_000 } }]);
  await using _service = await world.open();
  world.app.say(OWNER, "Tell me");
  await until(() => world.app.in(OWNER).length === 2, "two messages");
  world.app.say(OWNER, "/run novelist");
  await until(() => world.app.files.length === 1, "a file");
  assert.equal(world.app.files[0]?.text.trim().split(/\s+/).length, 9_000);
  assert.equal(world.app.in(OWNER).length, 3);
});

Deno.test("the bot waits as long as Telegram asks, and loses no answer", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  world.app.refusals.push({
    method: "sendMessage",
    status: 429,
    body: { description: "Too Many Requests", parameters: { retry_after: 1 } },
  });
  await using _service = await world.open();
  world.app.say(OWNER, "Patience");
  await world.seen(OWNER, "Patience");
  assert.equal(world.app.calls.filter((one) => one === "sendMessage").length, 2);
});

Deno.test("files come into the workspace, and the agent gets their paths", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  const { app } = world;
  app.uploads.set("f1", "whole text");
  app.say(OWNER, "", {
    caption: "Read this",
    text: undefined,
    document: { file_id: "f1", file_unique_id: "u", file_name: "../../.ssh/my notes.txt" },
  });
  const { text } = await world.seen(OWNER, "Read this");
  const [path = ""] = /chat-files\/phone\/\S+/.exec(text) ?? [];
  assert.match(path, /^chat-files\/phone\/\d+-1-[\p{L}_.-]+\.txt$/u);
  assert.equal(await Deno.readTextFile(`${world.place.workspace}/${path}`), "whole text");
  // An agent with a shell could replace the file or the folder by a link.
  await using outside = await createTempDir();
  await Deno.writeTextFile(`${outside.path}/mine`, "mine");
  const [number = 0] = path.match(/\d+/)?.map(Number) ?? [];
  for (let next = number; next < number + 20; next++) {
    const link = `${world.place.workspace}/chat-files/phone/${next}-1-second.txt`;
    await Deno.symlink(`${outside.path}/mine`, link);
  }
  const second = { file_id: "f1", file_unique_id: "u", file_name: "second.txt" };
  app.say(OWNER, "", { caption: "And this", text: undefined, document: second });
  await world.seen(OWNER, "And this");
  assert.equal(await Deno.readTextFile(`${outside.path}/mine`), "mine");
  await Deno.remove(`${world.place.workspace}/chat-files`, { recursive: true });
  await Deno.symlink(outside.path, `${world.place.workspace}/chat-files`);
  app.say(OWNER, "", { caption: "Third", text: undefined, document: second });
  assert.match((await world.seen(OWNER, "is a link")).text, /^Nothing ran/);
  assert.deepEqual([...Deno.readDirSync(outside.path)].map(({ name }) => name).sort(), ["mine"]);
  await Deno.remove(`${world.place.workspace}/chat-files`);
  app.refusals.push({ method: "getFile", status: 400, body: { description: "file is too big" } });
  app.say(OWNER, "", { photo: [{ file_id: "f2", file_unique_id: "v", width: 1, height: 1 }] });
  await world.seen(OWNER, "Nothing ran");
  app.say(OWNER, "", { sticker: {} });
  await world.seen(OWNER, "Only text and files");
});
