// Slack over its real packages: messages, questions, files, and what Slack repeats, refuses and closes.
import assert from "node:assert/strict";
import { createLocalClient } from "../../../../app/local_client.ts";
import { call } from "../../../runtime/executions/executions_of.ts";
import { until } from "../../../support/until.ts";
import { APP_TOKEN, BOT_TOKEN, directOf, refuse } from "./slack_server.ts";
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
const write = (content: string) => [
  { call: [call("file_write", { path: "note.txt", content })] },
  { say: "Written: {result}" },
];

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

testSlack(
  "a question is answered by its button; forged presses and words do not approve",
  async () => {
    await using world = await createSlackWorld();
    const { app } = world;
    await world.place.writeScript("writer", write("A line\n"));
    await using service = await world.open();
    await service.runtime.run("writer", {});
    const question = await world.seen(TO_OWNER, "writer asks");
    assert.match(question.code ?? "", /\+A line/);
    const approve = question.buttons["Approve"]!;
    app.press(STRANGER, question, approve);
    app.press(GUEST, question, approve);
    app.press(GUEST, { ts: question.ts, place: directOf(GUEST) }, approve);
    app.press(OWNER, { ts: "1.000001", place: TO_OWNER }, approve);
    app.press(OWNER, question, "option:0");
    app.say(OWNER, approve, { thread_ts: question.ts });
    await world.seen(TO_OWNER, "Use the buttons");
    await until(() => app.isRead, "all envelopes are confirmed");
    assert.equal((await service.runtime.getExecution(1)).status, "waiting");
    assert.ok(app.whispers.every(({ person }) => person !== STRANGER));
    app.press(OWNER, question, approve);
    await until(() => question.text.includes("➜ Approved"), "the question shows its answer");
    assert.deepEqual(question.buttons, {});
    await until(async () => (await service.runtime.getExecution(1)).status === "success", "ended");
    assert.equal(await Deno.readTextFile(`${world.place.workspace}/note.txt`), "A line\n");
  },
);

testSlack("a question that is answered elsewhere loses its buttons", async () => {
  await using world = await createSlackWorld();
  const { app } = world;
  await world.place.writeScript("writer", write("x"));
  await using service = await world.open();
  using client = createLocalClient(service.runtime);
  await service.runtime.run("writer", {});
  const question = await world.seen(TO_OWNER, "writer asks");
  const approve = question.buttons["Approve"]!;
  const { request_id } = await client.pending(1);
  await client.respond(1, { request_id, response: { approved: false }, via: "page" });
  await world.seen(TO_OWNER, "Denied (on the page)");
  assert.deepEqual(question.buttons, {});
  app.press(OWNER, question, approve);
  await until(
    () => app.whispers.some(({ text }) => text === "This question is no longer open."),
    "the late press is refused",
  );
});

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

testSlack("files come into the workspace, and only Slack gets the token", async () => {
  await using world = await createSlackWorld();
  const { app } = world;
  await world.place.writeAgent("concierge", ECHO);
  await using _service = await world.open();
  const leaked: string[] = [];
  await using other = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      leaked.push(request.headers.get("authorization") ?? "");
      return new Response("foreign");
    },
  );
  app.uploads.set("notes", "whole text");
  const file = { name: "../my notes.txt", url_private_download: `${app.apiRoot}/files-pri/notes` };
  app.say(OWNER, "Read this", { subtype: "file_share", files: [file] });
  const { text } = await world.seen(TO_OWNER, "Read this");
  const [path = ""] = /chat-files\/team\/\S+/.exec(text) ?? [];
  assert.equal(await Deno.readTextFile(`${world.place.workspace}/${path}`), "whole text");
  const foreign = `http://127.0.0.1:${other.addr.port}/x`;
  app.say(OWNER, "And this", { files: [{ name: "linked", url_private: foreign }] });
  await world.seen(TO_OWNER, "Nothing ran: linked is not stored at Slack.");
  assert.deepEqual(leaked, []);
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

testSlack("the sender of the terminal's code is named as in Slack", async () => {
  await using world = await createSlackWorld();
  const { app } = world;
  await using service = await world.open();
  using client = createLocalClient(service.runtime);
  const { code } = await client.pairChat("team");
  app.say(STRANGER, "AAAA-AAAA");
  app.say(STRANGER, code);
  await world.seen(directOf(STRANGER), "Confirm it at the terminal");
  assert.equal(app.shown.length, 1);
  assert.deepEqual(await client.pairing("team"), {
    sender: { id: STRANGER, name: `Person ${STRANGER} (@${STRANGER.toLowerCase()})` },
  });
});

testSlack("refusals are in the log with Slack's reason, and no token is", async () => {
  await using world = await createSlackWorld();
  const { app } = world;
  await world.place.writeAgent("concierge", ECHO);
  app.refusals.push({
    method: "chat.postMessage",
    response: () => refuse("missing_scope", { needed: "chat:write" }),
  });
  await using _service = await world.open();
  app.say(OWNER, "Hello");
  const read = () => JSON.stringify(world.place.logged);
  await until(() => read().includes("missing_scope"), "the reason is logged");
  const log = read();
  assert.match(log, /the app needs chat:write/);
  assert.ok(!log.includes(BOT_TOKEN) && !log.includes(APP_TOKEN));
});

testSlack("a file that the run has written goes out, another one does not", async () => {
  await using world = await createSlackWorld();
  const { app, place } = world;
  await Deno.writeTextFile(`${place.workspace}/other.txt`, "not of this run");
  await place.writeScript("concierge", [
    { call: [call("file_write", { path: "note.txt", content: "of this run" })] },
    { say: "[note](note.txt) and other.txt" },
  ], "auto_approve: [file_write]");
  await using _service = await world.open();
  app.say(OWNER, "Write");
  await until(() => app.files.length === 1, "a file");
  assert.deepEqual(app.files, [{ place: TO_OWNER, name: "note.txt", text: "of this run" }]);
});
