// Questions with approvers in a chat: who gets them, the reminder after an hour, and the stand-in.
import assert from "node:assert/strict";
import { createLocalClient } from "../../../app/local_client.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { call } from "../../runtime/executions/executions_of.ts";
import { TestClock } from "../../support/test_clock.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { createChatWorld, OWNER, STRANGER } from "./chat_world.ts";

const PEOPLE = `people:
  ada: { chats: [{ chat: phone, id: ${OWNER} }], stand_in: bob }
  bob: { chats: [{ chat: phone, id: ${STRANGER} }] }`;
const THIRD = `{ id: ${STRANGER}, name: third, may: [answer] }`;
const STEPS = [{ call: [call("file_write", { path: "a.txt", content: "x" })] }, { say: "Done" }];

Deno.test("a question goes to its approver only; after an hour the approver is reminded once, and the stand-in answers", async () => {
  await using world = await createChatWorld({ config: PEOPLE, person: THIRD });
  const { app, place } = world;
  const clock = new TestClock();
  await place.writeScript("writer", STEPS, "approvers: [ada]");
  {
    await using service = await world.open({ clock });
    await service.runtime.run("writer", {});
    const { buttons } = await world.seen(OWNER, "writer asks");
    assert.deepEqual(Object.keys(buttons), ["Approve", "Deny"]);
    const by = { via: "chat" as const, name: "bob" };
    const { requestId } = await service.runtime.pendingRequest(1);
    const answer = { approved: true };
    await assert.rejects(service.runtime.respond(1, { requestId, answer, by }), {
      message: "This question is for ada, and after an hour for bob",
    });
  }
  // The stand-in is stored with the question, so that an edit cannot change it.
  const path = `${place.configDir}/config.yaml`;
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace(", stand_in: bob", ""));
  await using service = await world.open({ clock });
  clock.jump(58 * MINUTE_MS);
  await clock.advance(MINUTE_MS);
  app.say(OWNER, "/help");
  await world.seen(OWNER, "/run");
  assert.deepEqual(app.in(STRANGER), []);
  assert(!app.in(OWNER).some(({ text }) => text.startsWith("Reminder")));
  await until(async () => {
    await clock.advance(MINUTE_MS);
    return app.in(STRANGER).length > 0;
  }, "the stand-in gets the question");
  await world.seen(OWNER, "Reminder: execution 1 still waits for your answer");
  for (let hour = 0; hour < 3; hour++) {
    clock.jump(60 * MINUTE_MS);
    await clock.advance(MINUTE_MS);
  }
  assert.equal(app.in(OWNER).filter(({ text }) => text.startsWith("Reminder")).length, 1);
  const [question] = app.in(STRANGER);
  assert.equal(app.in(STRANGER).length, 1);
  app.press(STRANGER, question!, question!.buttons["Approve"]!);
  await until(
    async () => (await service.runtime.getExecution(1)).status === "success",
    "the run goes on",
  );
  const records = await service.runtime.audit.listRecords({ limit: 5, actions: ["answer"] });
  assert.deepEqual(records.map(({ name, via }) => [name, via]), [["bob", "chat"]]);
});

Deno.test("a question without a rule has no reminder, and an answered one is not reminded of", async () => {
  await using world = await createChatWorld({ config: PEOPLE, person: THIRD });
  const { app, place } = world;
  const clock = new TestClock();
  await place.writeScript("free", STEPS);
  await place.writeScript("strict", STEPS, "approvers: [ada]");
  await place.writeScript("nobody", STEPS, "approvers: [carl]");
  await using service = await world.open({ clock });
  using client = createLocalClient(service.runtime, { via: "chat", name: "ada" });
  await runToEnd(service.runtime, "free");
  await runToEnd(service.runtime, "strict");
  await runToEnd(service.runtime, "nobody");
  await world.seen(OWNER, "strict asks");
  await world.seen(STRANGER, "free asks");
  assert.deepEqual(
    (await place.all<{ id: number; n: number }>(
      "SELECT execution_id AS id, count(*) AS n FROM outbox GROUP BY 1 ORDER BY 1",
    )).map(({ id, n }) => [id, n]),
    // No person of the chat may answer the third question.
    [[1, 1], [2, 2]],
  );
  assert.equal((await client.pending(1)).may_answer, undefined);
  const { may_answer: mayAnswer, request_id } = await client.pending(2);
  assert.equal(mayAnswer, true);
  assert.equal((await client.pending(3)).may_answer, false);
  await client.respond(2, { request_id, response: { approved: true } });
  clock.jump(60 * MINUTE_MS);
  await clock.advance(MINUTE_MS);
  await until(
    async () =>
      (await place.all("SELECT 1 FROM outbox WHERE execution_id = 2 AND closed_at IS NULL"))
        .length === 0,
    "the reminder is dropped",
  );
  assert(!JSON.stringify([...app.in(OWNER), ...app.in(STRANGER)]).includes("Reminder"));
});

Deno.test("who starts a run in a chat is named in the audit, and does not approve it with exclude_starter", async () => {
  await using world = await createChatWorld({ config: PEOPLE, person: THIRD });
  const { app, place } = world;
  await place.writeScript("concierge", STEPS, "exclude_starter: true");
  await using service = await world.open();
  app.say(OWNER, "Write it");
  await world.seen(OWNER, "Somebody with the right to answer must answer it");
  const { requestId, rule } = await service.runtime.pendingRequest(1);
  assert.equal(rule?.starter, "ada");
  const by = { via: "chat" as const, name: "ada" };
  await assert.rejects(service.runtime.respond(1, { requestId, answer: { approved: true }, by }), {
    message:
      "This question is for people with a name, without the person who started the run (ada)",
  });
  app.say(OWNER, "/cancel 1");
  await world.seen(OWNER, "Execution 1 is cancelled");
  const records = await service.runtime.audit.listRecords({
    limit: 5,
    actions: ["start", "cancel"],
  });
  assert.deepEqual(records.map(({ action, name, via }) => [action, name, via]), [
    ["cancel", "ada", "chat"],
    ["start", "ada", "chat"],
  ]);
});
