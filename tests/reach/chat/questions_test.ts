// Questions of agents in a chat: buttons and words, who may answer, and what happens to questions that are closed.
import assert from "node:assert/strict";
import { createLocalClient } from "../../../app/local_client.ts";
import { call } from "../../runtime/executions/executions_of.ts";
import { payloadsOf } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { createChatWorld, GROUP, GUEST, OWNER } from "./chat_world.ts";

const write = (content: string) => [
  { call: [call("file_write", { path: "note.txt", content })] },
  { say: "Written: {result}" },
];
const ask = (more: Record<string, unknown>) => [
  { call: [call("ask_user", { question: "Which color?", ...more })] },
  { say: "You said {result}" },
];

/** Returns how the answer of the only question was stored. */
async function storedAnswer(runtime: Parameters<typeof payloadsOf>[0], id = 1) {
  const answers = (await payloadsOf(runtime, id)).filter((one) =>
    one["answered_via"] !== undefined
  );
  return answers.map((one) => [one["answered_via"], one["answered_by"], one["message"]]);
}

Deno.test("a button is the first of two approvals, and a person of the chat with another name is refused", async () => {
  await using world = await createChatWorld();
  const lines = "approvers: [owner, anna]\napprovals: 2";
  await world.place.writeScript("writer", write("hello\n"), lines);
  await using service = await world.open();
  const { runtime } = service;
  await runtime.run("writer", {});
  const question = await world.seen(OWNER, "0 of 2 approvals; for owner, anna");
  world.app.press(OWNER, question, question.buttons["Approve"]!);
  await until(async () => (await runtime.pendingRequest(1)).approvedBy?.[0] === "owner", "one");
  assert.equal((await runtime.getExecution(1)).status, "waiting");
  const guest = createLocalClient(runtime, { via: "chat", name: "guest" });
  const { request_id } = await guest.pending(1);
  await assert.rejects(guest.respond(1, { request_id, response: { approved: true } }), {
    status: 403,
  });
  const anna = createLocalClient(runtime, { via: "page", name: "anna", role: "operator" });
  await anna.respond(1, { request_id, response: { approved: true } });
  await world.seen(OWNER, "by anna");
  await until(async () => (await runtime.getExecution(1)).status === "success", "written");
});

Deno.test("a chat shows the questions of its agents only, and a denial is the person's in the chat", async () => {
  await using world = await createChatWorld({ lines: "    agents: [writer]\n" });
  // The change is too long for a message, so it goes out first, as a file.
  await world.place.writeScript("writer", write("A line of text.\n".repeat(600) + "THE END\n"));
  await world.place.writeScript("silent", write("never shown"));
  await using service = await world.open();
  const { app } = world;
  await service.runtime.run("silent", {});
  await service.runtime.run("writer", {});
  const question = await world.seen(OWNER, "This is cut");
  assert.doesNotMatch(question.text, /THE END/);
  assert.ok(app.calls.indexOf("sendDocument") < app.calls.indexOf("sendMessage"));
  app.press(OWNER, question, "done");
  app.press(OWNER, question, question.buttons["Deny"]!);
  await world.seen(OWNER, "Denied");
  assert.deepEqual(await storedAnswer(service.runtime, 2), [["chat", "owner", "Denied"]]);
  await assert.rejects(Deno.stat(`${world.place.workspace}/note.txt`));
  app.say(OWNER, "/pending");
  await world.seen(OWNER, "No question is open.");
  assert.equal(app.in(OWNER).filter(({ text }) => text.includes("silent")).length, 0);
});

Deno.test("a question in words is answered by a reply, or as the only open one", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("asker", ask({}));
  await world.place.writeScript("other", ask({}));
  await world.place.writeScript("concierge", [{ say: "At your service" }]);
  await using service = await world.open();
  const { app } = world;
  await service.runtime.run("asker", {});
  const first = await world.seen(OWNER, "Which color?");
  await service.runtime.run("other", {});
  await until(() => app.in(OWNER).length === 2, "both questions are shown");
  app.say(OWNER, "this is for the agent");
  await world.seen(OWNER, "At your service");
  app.say(OWNER, "red", { reply_to_message: { message_id: first.id, from: { id: 999 } } });
  await until(async () => (await service.runtime.getExecution(1)).status === "success", "answered");
  assert.deepEqual(await storedAnswer(service.runtime, 1), [["chat", "owner", "red"]]);
  app.say(OWNER, "blue");
  await until(async () => (await service.runtime.getExecution(2)).status === "success", "answered");
  assert.deepEqual(await storedAnswer(service.runtime, 2), [["chat", "owner", "blue"]]);
});

Deno.test("a path, a file, or a file with a text answers a question; anything else is refused", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("asker", ask({}));
  await using service = await world.open();
  const { app } = world;
  const file = { document: { file_id: "f1", file_unique_id: "u", file_name: "shades.txt" } };
  app.uploads.set("f1", "whole text");
  const answerOf = async (id: number, say: () => void) => {
    await service.runtime.run("asker", {});
    await world.seen(OWNER, `execution ${id})`);
    say();
    await until(async () => (await service.runtime.getExecution(id)).status === "success", "ended");
    return String((await storedAnswer(service.runtime, id))[0]?.[2]);
  };
  assert.equal(await answerOf(1, () => app.say(OWNER, "/home/ann/red")), "/home/ann/red");
  const said = await answerOf(2, () => {
    app.say(OWNER, "", { text: undefined, sticker: {} });
    app.say(OWNER, "", { text: undefined, caption: "As here", ...file });
  });
  await world.seen(OWNER, "Only text and files are understood here.");
  const [, path = ""] = /^As here\nFiles of this message:\n(\S+)$/.exec(said) ?? [];
  assert.equal(await Deno.readTextFile(`${world.place.workspace}/${path}`), "whole text");
  assert.match(
    await answerOf(3, () => app.say(OWNER, "", { text: undefined, ...file })),
    /^Files of this message:\n\S+shades\.txt$/,
  );
});

Deno.test("a text that arrives before the app has confirmed the question answers it", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("asker", ask({}));
  await using service = await world.open();
  const { app } = world;
  app.afterEffect = async (method) => {
    if (method !== "sendMessage") return;
    app.afterEffect = () => {};
    app.say(OWNER, "red");
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  await service.runtime.run("asker", {});
  await until(async () => (await service.runtime.getExecution(1)).status === "success", "ended");
  assert.deepEqual(await storedAnswer(service.runtime), [["chat", "owner", "red"]]);
});

Deno.test("a text that arrives while the chat closes another question answers the open question", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("asker", ask({}));
  await world.place.writeScript("other", ask({}));
  await using service = await world.open();
  const { app } = world;
  await service.runtime.run("asker", {});
  await world.seen(OWNER, "(execution 1)");
  await service.runtime.run("other", {});
  await world.seen(OWNER, "(execution 2)");
  app.afterEffect = async (method) => {
    if (method !== "editMessageText") return;
    app.afterEffect = () => {};
    app.say(OWNER, "red");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  };
  await service.runtime.cancel(2);
  await until(async () => (await service.runtime.getExecution(1)).status === "success", "ended");
  assert.deepEqual(await storedAnswer(service.runtime), [["chat", "owner", "red"]]);
});

Deno.test("choices are buttons: one at once, several with Done", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("one", ask({ options: ["red", "blue"] }));
  await world.place.writeScript("more", ask({ options: ["tea", "milk", "mate"], multi: true }));
  await using service = await world.open();
  const { app } = world;
  await service.runtime.run("one", {});
  const single = await world.seen(OWNER, "one asks");
  app.press(OWNER, single, single.buttons["blue"]!);
  await world.seen(OWNER, "➜ blue");
  await service.runtime.run("more", {});
  const several = await world.seen(OWNER, "more asks");
  for (const label of ["tea", "milk", "mate", "milk"]) {
    app.press(
      OWNER,
      several,
      Object.entries(several.buttons).find(([key]) => key.endsWith(label))![1],
    );
  }
  await until(() => "☑ mate" in several.buttons && "milk" in several.buttons, "two are selected");
  app.press(OWNER, several, several.buttons["Done"]!);
  await world.seen(OWNER, "➜ tea, mate");
});

Deno.test("a question of a run that ends loses its buttons", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("writer", write("x"));
  await using service = await world.open();
  using client = createLocalClient(service.runtime);
  await service.runtime.run("writer", {});
  const question = await world.seen(OWNER, "writer asks");
  await client.cancel(1);
  await world.seen(OWNER, "the run has ended");
  assert.deepEqual(question.buttons, {});
});

Deno.test("a restart keeps the buttons, and closes what was answered in between", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("writer", write("x"));
  let question;
  {
    await using service = await world.open();
    await service.runtime.run("writer", {});
    question = await world.seen(OWNER, "writer asks");
    await until(
      async () => (await world.place.all("SELECT * FROM chat_notes")).length > 0,
      "noted",
    );
  }
  await using _again = await world.open();
  world.app.press(OWNER, question, question.buttons["Approve"]!);
  await world.seen(OWNER, "➜ Approved");
  assert.equal(world.app.in(OWNER).length, 1);
});

Deno.test("the question of a run that a message started appears in its conversation, also in a group", async () => {
  await using world = await createChatWorld({ config: "notify: { on: [error] }" });
  await world.place.writeScript("concierge", ask({ options: ["red", "blue"] }));
  await using service = await world.open();
  const { app } = world;
  app.say(GUEST, "Paint it");
  const hidden = await world.seen(GUEST, "Somebody with the right to answer");
  assert.deepEqual(hidden.buttons, {});
  const asked = app.say(GUEST, "@inkling_bot paint it", { chat: { id: GROUP, type: "group" } });
  const question = await world.seen(GROUP, "Which color?");
  assert.equal(question.replyTo, asked);
  app.press(GUEST, question, question.buttons["red"]!);
  app.press(OWNER, question, question.buttons["blue"]!);
  await world.seen(GROUP, "You said blue");
  assert.equal((await service.runtime.getExecution(1)).status, "waiting");
  app.say(OWNER, "/pending");
  await world.seen(OWNER, "Which color?");
});
