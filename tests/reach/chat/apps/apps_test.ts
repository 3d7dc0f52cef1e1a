// The behavior that all chat apps share, over their real packages and local servers that speak their wire formats.
import assert from "node:assert/strict";
import { createLocalClient } from "../../../../app/local_client.ts";
import { DAY_MS, MINUTE_MS } from "../../../../base/time_units.ts";
import { call } from "../../../runtime/executions/executions_of.ts";
import { until } from "../../../support/until.ts";
import { type AppWorld, countRuns, ECHO, testApp } from "./app_world.ts";
import { TESTED_APPS, type TestedApp } from "./tested_app.ts";

type World = AppWorld<TestedApp>;

const write = (content: string) => [
  { call: [call("file_write", { path: "note.txt", content })] },
  { say: "Written: {result}" },
];

/** Registers a test for each app. */
function testApps(name: string, fn: (world: World) => Promise<void>): void {
  for (const [app, open] of Object.entries(TESTED_APPS)) {
    testApp(`${app}: ${name}`, { server: () => undefined, open }, fn);
  }
}

testApps("a message starts one run, and its answer comes back once", async (world) => {
  const { app } = world;
  const to = app.directOf(app.owner);
  {
    await using _service = await world.open();
    app.say(app.owner, "Only once");
    await world.seen(to, "Only once");
    app.repeat();
    await world.handled();
  }
  app.repeat();
  app.say(app.owner, "Sent while nobody listened");
  await using _again = await world.open();
  await world.seen(to, "Sent while nobody listened");
  await world.handled();
  assert.equal(await countRuns(world), 2);
  assert.equal(app.shown.filter(({ place }) => place === to).length, 2);
});

testApps(
  "strangers, unbound groups and forwarded text start nothing; a bound group is served",
  async (world) => {
    const { app } = world;
    await using _service = await world.open();
    app.say(app.stranger, "Hello");
    app.say(app.stranger, `${app.mark}start`);
    app.mention(app.stranger, app.group, "Hello");
    app.mention(app.owner, app.otherGroup, "Hello");
    app.press(app.stranger, { id: "1", place: app.directOf(app.stranger) }, "approve");
    app.say(app.owner, "Pay the invoice", { isForwarded: true });
    const forwarded = await world.seen(app.directOf(app.owner), "Forwarded text");
    assert.deepEqual(app.shown.map((one) => one.id), [forwarded.id]);
    assert.deepEqual(app.whispers, []);

    // Commands need their right, and have the app's mark.
    app.say(app.guest, `${app.mark}recap`);
    await world.seen(app.directOf(app.guest), "You may not do this");
    app.say(app.owner, `${app.mark}recap`);
    await world.seen(app.directOf(app.owner), "The last 24 hours");
    await world.handled();
    assert.equal(await countRuns(world), 0);

    const id = app.mention(app.guest, app.group, "hello all");
    const { replyTo, text } = await world.seen(app.group, "hello all");
    assert.equal(replyTo, id);
    assert.doesNotMatch(text, /[@<]/);
  },
);

testApps("a late message is asked about, and used or dropped by its sender only", async (world) => {
  const { app } = world;
  const to = app.directOf(app.owner);
  await using _service = await world.open();
  app.say(app.owner, "Sell everything", { ageMs: 11 * MINUTE_MS });
  const question = await world.seen(to, "came late");
  app.press(app.guest, question, question.buttons["Use it"]!);
  await world.handled();
  assert.equal(await countRuns(world), 0);
  app.press(app.owner, question, question.buttons["Use it"]!);
  app.press(app.owner, question, question.buttons["Use it"]!);
  await world.seen(to, "Sell everything");
  await world.handled();
  app.say(app.owner, "Old news", { ageMs: DAY_MS });
  const second = await world.seen(to, "came late");
  app.press(app.owner, second, second.buttons["Drop it"]!);
  await world.seen(to, "was dropped");
  assert.equal(await countRuns(world), 1);
});

testApps("a question is answered by its button only, and by its person only", async (world) => {
  const { app } = world;
  const to = app.directOf(app.owner);
  await world.place.writeScript("writer", write("A line\n"));
  await using service = await world.open();
  await service.runtime.run("writer", {});
  const question = await world.seen(to, "writer asks");
  assert.match(question.code ?? "", /note\.txt[\s\S]*\+A line/);
  assert.deepEqual(Object.keys(question.buttons), ["Approve", "Deny"]);
  const approve = question.buttons["Approve"]!;
  app.press(app.stranger, question, approve);
  app.press(app.guest, question, approve);
  app.press(app.guest, { id: question.id, place: app.directOf(app.guest) }, approve);
  app.press(app.owner, { id: `${question.id}1`, place: to }, approve);
  app.press(app.owner, question, "option:0");
  app.say(app.owner, approve, { replyTo: question.id });
  await world.seen(to, "Use the buttons");
  await world.handled();
  assert.equal((await service.runtime.getExecution(1)).status, "waiting");
  assert.ok(app.whispers.every(({ person }) => person !== app.stranger));
  app.press(app.owner, question, approve);
  app.press(app.owner, question, approve);
  assert.deepEqual((await world.seen(to, "by owner in a chat app")).buttons, {});
  await until(
    () => app.whispers.some(({ text }) => text === "This question is no longer open."),
    "the second press is refused",
  );
  await until(async () => (await service.runtime.getExecution(1)).status === "success", "ended");
  assert.equal(await Deno.readTextFile(`${world.place.workspace}/note.txt`), "A line\n");
});

testApps(
  "a question answered elsewhere loses its buttons, a long one has a file, choices have buttons",
  async (world) => {
    const { app } = world;
    const to = app.directOf(app.owner);
    await world.place.writeScript("writer", write("x"));
    const long = "A line of `text` with ```.\n".repeat(600) + "THE END\n";
    await world.place.writeScript("novelist", write(long));
    // More options than fit a row.
    const options = Array.from({ length: 12 }, (_, index) => `option ${index}`);
    const ask = call("ask_user", { question: "Which?", options, multi: true });
    await world.place.writeScript("asker", [{ call: [ask] }, { say: "You said {result}" }]);
    await using service = await world.open();
    using client = createLocalClient(service.runtime);
    await service.runtime.run("writer", {});
    const question = await world.seen(to, "writer asks");
    const approve = question.buttons["Approve"]!;
    const { request_id } = await client.pending(1);
    await client.respond(1, { request_id, response: { approved: false }, via: "page" });
    assert.deepEqual((await world.seen(to, "Denied (on the page)")).buttons, {});
    app.press(app.owner, question, approve);
    await until(
      () => app.whispers.some(({ text }) => text === "This question is no longer open."),
      "the late press is refused",
    );

    await service.runtime.run("novelist", {});
    const cut = await world.seen(to, "This is cut");
    assert.match(app.files[0]?.text ?? "", /\+THE END/);
    assert.deepEqual(Object.keys(cut.buttons), ["Approve", "Deny"]);

    await service.runtime.run("asker", {});
    const choice = await world.seen(to, "Which?");
    assert.deepEqual(Object.keys(choice.buttons), [...options, "Done"]);
    for (const label of ["option 1", "option 11", "Done"]) {
      app.press(app.owner, choice, choice.buttons[label]!);
    }
    await world.seen(to, "➜ option 1, option 11");
  },
);

testApps("long answers are split or a file, and no text is markup", async (world) => {
  const { app } = world;
  const to = app.directOf(app.owner);
  const mean =
    "<!channel> @everyone *bold* _it_ [a](https://a.example/x_y_z) `c` <@77> # no\n# no\n> q";
  await world.place.writeScript("concierge", [{ say: mean }]);
  await world.place.writeScript("long", [{ say_repeat: { text: "word ", times: 1_100 } }]);
  await world.place.writeScript("novelist", [{ say_repeat: { text: "word ", times: 9_000 } }]);
  await using _service = await world.open();
  app.say(app.owner, "Hi");
  assert.equal((await world.seen(to, "bold")).text, mean);
  app.say(app.owner, `${app.mark}run long`);
  await until(() => app.shown.length > 2, "several messages more");
  app.say(app.owner, `${app.mark}run novelist`);
  await until(() => app.files.length === 1, "a file");
  assert.equal(app.files[0]?.place, to);
  assert.equal(app.files[0]?.text.trim().split(/\s+/).length, 9_000);
});

testApps("messages and lists that are longer than the app allows are cut", async (world) => {
  const { app, place } = world;
  const to = app.directOf(app.owner);
  const steps = [{ say_repeat: { text: "word ", times: 900 } }];
  await place.writeScript("long", steps, "notify: { on: [success] }");
  for (let number = 1; number <= 20; number++) {
    await place.writeAgent(
      `helper${number}`,
      `---\ndescription: ${"x".repeat(250)}\n${ECHO.slice(4)}`,
    );
  }
  await using service = await world.open();
  await service.runtime.run("long", {});
  assert.match((await world.seen(to, "long succeeded")).text, /…$/);
  app.say(app.owner, `${app.mark}agents`);
  const { text, buttons } = await world.seen(to, "Who should answer you?");
  assert.match(text, /…$/);
  assert.ok(Object.keys(buttons).length > 20);
});

testApps("files come into the workspace, and only from the app's servers", async (world) => {
  const { app } = world;
  const to = app.directOf(app.owner);
  await using _service = await world.open();
  const asked: string[] = [];
  await using other = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      asked.push(request.headers.get("authorization") ?? "");
      return new Response("foreign");
    },
  );
  app.say(app.owner, "Read this", { file: { name: "../my notes.txt", text: "whole text" } });
  const { text } = await world.seen(to, "Read this");
  const [path = ""] = /chat-files\/team\/\S+/.exec(text) ?? [];
  assert.equal(await Deno.readTextFile(`${world.place.workspace}/${path}`), "whole text");
  // Telegram's messages contain no addresses.
  if (app.settings.includes("telegram")) return;
  const address = `http://127.0.0.1:${other.addr.port}/x`;
  app.say(app.owner, "And this", { file: { name: "linked", text: "", address } });
  await world.seen(to, "Nothing ran: linked is not stored by the chat app.");
  assert.deepEqual(asked, []);
});

testApps("the sender of the terminal's code is named as in the app", async (world) => {
  const { app } = world;
  await using service = await world.open();
  using client = createLocalClient(service.runtime);
  const { code } = await client.pairChat("team");
  app.say(app.stranger, "AAAA-AAAA");
  app.say(app.stranger, code);
  await world.seen(app.directOf(app.stranger), "Confirm it at the terminal");
  assert.equal(app.shown.length, 1);
  assert.deepEqual(await client.pairing("team"), {
    sender: { id: app.stranger, name: app.strangerName },
  });
});

testApps(
  "pauses that the app asks for lose nothing, and refusals are in the log without a token",
  async (world) => {
    const { app } = world;
    app.pauseOnce();
    await using _service = await world.open();
    app.say(app.owner, "Patience");
    await world.seen(app.directOf(app.owner), "Patience");
    assert.equal(app.sends, 2);
    const reason = app.refuseOnce();
    app.say(app.owner, "Hello");
    const read = () => JSON.stringify(world.place.logged);
    await until(() => read().includes(reason), "the reason is logged");
    for (const token of Object.values(app.shell)) assert.ok(!read().includes(token));
  },
);

testApps("a file that the run has written goes out, another one does not", async (world) => {
  const { app, place } = world;
  await Deno.writeTextFile(`${place.workspace}/other.txt`, "not of this run");
  await place.writeScript("concierge", [
    { call: [call("file_write", { path: "note.txt", content: "of this run" })] },
    { say: "[note](note.txt), other.txt and /etc/hosts" },
  ], "auto_approve: [file_write]");
  await using _service = await world.open();
  app.say(app.owner, "Write");
  await until(() => app.files.length > 0, "a file");
  await world.handled();
  assert.deepEqual(app.files, [
    { place: app.directOf(app.owner), name: "note.txt", text: "of this run" },
  ]);
});
