// Messages of people: conversations, commands, rights, and messages that start nothing.
import assert from "node:assert/strict";
import { DAY_MS } from "../../../base/time_units.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { ECHO } from "./apps/app_world.ts";
import { createChatWorld, GROUP, GUEST, OWNER } from "./chat_world.ts";
import { refuse } from "./telegram_server.ts";

async function runsOf(world: Awaited<ReturnType<typeof createChatWorld>>) {
  return await world.place.all<{ agent_id: string; session_id: string | null }>(
    "SELECT agent_id, session_id FROM executions ORDER BY id",
  );
}

Deno.test("a message is answered by the chat's agent, in one conversation until /new", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  // Messages in a group need the bot's name.
  world.app.say(OWNER, "not addressed", { chat: { id: GROUP, type: "group" } });
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

Deno.test("the notes about sent answers are removed after a week", async () => {
  await using world = await createChatWorld();
  await world.place.writeAgent("concierge", ECHO);
  const clock = new TestClock();
  await using _service = await world.open({ clock });
  const notes = () =>
    world.place.all<{ name: string }>(
      "SELECT name FROM chat_notes WHERE name LIKE 'run:%' OR name LIKE 'done:%' ORDER BY name",
    );
  const answered = async (text: string, ...names: string[]) => {
    world.app.say(OWNER, text);
    await world.seen(OWNER, text);
    const areThere = async () => (await notes()).map(({ name }) => name).join() === names.join();
    await until(areThere, `the notes are ${names}`);
  };
  await answered("One", "done:1");
  await answered("Two", "done:1", "done:2");
  clock.jump(8 * DAY_MS);
  await answered("Three", "done:3");
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
  app.say(OWNER, "/cancel 2");
  await world.seen(OWNER, "Execution 2 had already ended: success.");
  app.say(OWNER, "/nothing");
  await world.seen(OWNER, "no command /nothing");
  assert.deepEqual((await runsOf(world)).map((one) => one.agent_id), ["other", "other"]);
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
  const tooBig = () => refuse(400, { description: "file is too big" });
  app.refusals.push({ method: "getFile", response: tooBig });
  app.say(OWNER, "", { photo: [{ file_id: "f2", file_unique_id: "v", width: 1, height: 1 }] });
  await world.seen(OWNER, "Nothing ran");
  app.say(OWNER, "", { sticker: {} });
  await world.seen(OWNER, "Only text and files");
});
