// Custom tools that ask people: each question ends the call, each answer runs it again from the beginning.
import assert from "node:assert/strict";
import { systemProcesses } from "../../../cli/processes.ts";
import { QuestionRaised } from "../../../runtime/tools/question_raised.ts";
import type { HumanAnswer, ToolQuestion } from "../../../runtime/tools/tool.ts";
import { until } from "../../support/until.ts";
import { failureOf } from "../sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

async function questionOf(work: Promise<unknown>): Promise<ToolQuestion> {
  const error = await work.then((value) => value, (error: unknown) => error);
  assert.ok(error instanceof QuestionRaised, `expected a question, got ${error}`);
  return error.question;
}

const ASKER = `
  context.log("pid " + Deno.pid);
  const sure = await context.confirm("Delete everything?");
  const name = await context.ask("Your name?");
  const picked = await context.choose("Which?", ["a", "b", "c"], { multi: true });
  return { sure, name, picked };`;

Deno.test("a custom tool that asks is run again from its beginning with one answer more each time", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("asker", ASKER);
  const answers: HumanAnswer[] = [];
  const next = () => questionOf(world.call("asker", {}, { answers }));
  assert.deepEqual(await next(), {
    kind: "confirm",
    message: "Delete everything?",
    options: null,
    multi: false,
  });
  answers.push({ approved: true });
  assert.deepEqual(await next(), {
    kind: "input",
    message: "Your name?",
    options: null,
    multi: false,
  });
  answers.push({ text: "Ada" });
  assert.deepEqual(await next(), {
    kind: "choice",
    message: "Which?",
    options: ["a", "b", "c"],
    multi: true,
  });
  answers.push({ selected: ["a", "c"] });
  assert.equal(
    await world.call("asker", {}, { answers }),
    '{"sure":true,"name":"Ada","picked":["a","c"]}',
  );
  const pids = world.logged.map((line) => Number(line.split(" ").at(-1)));
  assert.equal(pids.length, 4);
  for (const pid of pids.slice(0, 3)) {
    await until(
      async () => !(await systemProcesses.isAlive(pid)),
      "nothing of a waiting call is left",
    );
  }
});

Deno.test("a custom tool goes on without an answer when the time for it is over", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool(
    "patient",
    `const sure = await context.confirm("Sure?");
     const name = await context.ask("Name?").catch((error: Error) => error.message);
     return { sure, name, picked: await context.choose("Which?", ["a"]) };`,
  );
  const expired: HumanAnswer = { expired: true };
  assert.equal(
    await world.call("patient", {}, { answers: [expired, expired, { selected: ["a"] }] }),
    '{"sure":false,"name":"Nobody answered in time","picked":["a"]}',
  );
  const work = world.call("patient", {}, { answers: [expired, expired, expired] });
  assert.equal(await failureOf(work), "Nobody answered in time");
});

Deno.test("a custom tool that asks something else the second time does not get the answer", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("fickle", `return await context.ask("Your password?");`);
  const sentence =
    "The tool asked something else than before: on each run of a call it must ask the same questions in the same order.";
  assert.equal(
    await failureOf(world.call("fickle", {}, { answers: [{ approved: true }] })),
    sentence,
  );
  await world.writeTool("fickle", `return await context.choose("Which?", ["b"]);`);
  assert.equal(
    await failureOf(world.call("fickle", {}, { answers: [{ selected: ["a"] }] })),
    sentence,
  );
});

Deno.test("a question without text or options is the tool's own error, and nobody's question", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool(
    "mute",
    `const errors = [];
     for (const ask of [() => context.confirm(" "), () => context.ask(""), () => context.choose("Which?", [])]) {
       await ask().catch((error: Error) => errors.push(error.message));
     }
     return [...errors, await context.ask("Really?")];`,
  );
  assert.equal(
    await world.call("mute", {}, { answers: [{ text: "yes" }] }),
    '["A question to a person needs a text","A question to a person needs a text",' +
      '"A choice needs at least one option","yes"]',
  );
});
