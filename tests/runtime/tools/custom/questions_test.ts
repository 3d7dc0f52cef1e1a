// Custom tools that ask people: each question ends the call, each answer runs it again from the beginning.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/service/processes.ts";
import { QuestionRaised } from "../../../../runtime/tools/question_raised.ts";
import type {
  AnsweredQuestion,
  HumanAnswer,
  ToolQuestion,
} from "../../../../runtime/tools/tool.ts";
import { until } from "../../../support/until.ts";
import { failureOf } from "../files/sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

/** The question that a call raised, as it is stored. */
async function raisedBy(work: Promise<unknown>): Promise<ToolQuestion> {
  const error = await work.then((value) => value, (error: unknown) => error);
  assert.ok(error instanceof QuestionRaised, `expected a question, got ${error}`);
  return error.question;
}

/** What a person sees of it. */
async function questionOf(work: Promise<unknown>): Promise<ToolQuestion> {
  const { answersBefore: _, ...question } = await raisedBy(work);
  return question;
}

const confirmation = (message: string): ToolQuestion => ({
  kind: "confirm",
  message,
  options: null,
  multi: false,
});
const input = (message: string): ToolQuestion => ({ ...confirmation(message), kind: "input" });
const choice = (message: string, options: string[], multi = false): ToolQuestion => ({
  kind: "choice",
  message,
  options,
  multi,
});

const ASKER = `
  context.log("pid " + Deno.pid);
  const sure = await context.confirm("Delete everything?");
  const name = await context.ask("Your name?");
  const picked = await context.choose("Which?", ["a", "b", "c"], { multi: true });
  return { sure, name, picked };`;

Deno.test("a custom tool that asks is run again from its beginning with one answer more each time", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool("asker", ASKER);
  const answers: AnsweredQuestion[] = [];
  const next = () => questionOf(world.call("asker", {}, { answers }));
  const expected: [ToolQuestion, HumanAnswer][] = [
    [confirmation("Delete everything?"), { approved: true }],
    [input("Your name?"), { text: "Ada" }],
    [choice("Which?", ["a", "b", "c"], true), { selected: ["a", "c"] }],
  ];
  for (const [question, answer] of expected) {
    assert.deepEqual(await next(), question);
    answers.push({ question, answer });
  }
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
  await using world = await ToolWorld.open({ isConfined: true });
  await world.writeTool(
    "patient",
    `const sure = await context.confirm("Sure?");
     const name = await context.ask("Name?").catch((error: Error) => error.message);
     return { sure, name, picked: await context.choose("Which?", ["a"]) };`,
  );
  const expired: HumanAnswer = { expired: true };
  const late = [
    { question: confirmation("Sure?"), answer: expired },
    { question: input("Name?"), answer: expired },
  ];
  const question = choice("Which?", ["a"]);
  assert.equal(
    await world.call("patient", {}, {
      answers: [...late, { question, answer: { selected: ["a"] } }],
    }),
    '{"sure":false,"name":"Nobody answered in time","picked":["a"]}',
  );
  const work = world.call("patient", {}, { answers: [...late, { question, answer: expired }] });
  assert.equal(await failureOf(work), "Nobody answered in time");
});

Deno.test("a custom tool that asks something else the second time does not get the answer: it is asked anew", async () => {
  await using world = await ToolWorld.open({ isConfined: true });
  const answer: HumanAnswer = { approved: true };
  const others: [string, ToolQuestion, HumanAnswer][] = [
    [`confirm("Delete 500 files?")`, confirmation("Delete 500 files?"), answer],
    [`ask("Delete 1 file?")`, input("Delete 1 file?"), answer],
    [`confirm("Delete 500 files?")`, confirmation("Delete 500 files?"), { expired: true }],
  ];
  for (const [asks, question, given] of others) {
    await world.writeTool("fickle", `return await context.${asks};`);
    const answers = [{ question: confirmation("Delete 1 file?"), answer: given }];
    assert.deepEqual(await questionOf(world.call("fickle", {}, { answers })), question);
  }
  const chosen = { question: choice("Which?", ["a", "b"]), answer: { selected: ["b"] } };
  for (const question of [choice("Which?", ["b", "a"]), choice("Which?", ["a", "b"], true)]) {
    const { options, multi } = question;
    await world.writeTool(
      "fickle",
      `return await context.choose("Which?", ${JSON.stringify(options)}, { multi: ${multi} });`,
    );
    const asked = world.call("fickle", {}, { answers: [chosen] });
    assert.deepEqual(await questionOf(asked), question);
  }
});

Deno.test("a custom tool whose question changed keeps the answers to its other questions", async () => {
  await using world = await ToolWorld.open({ isConfined: true });
  await world.writeTool(
    "form",
    `return [await context.confirm("2 files?"), await context.ask("Name?"), await context.ask("Name?")];`,
  );
  const answers = [
    { question: confirmation("1 file?"), answer: { approved: true } },
    { question: input("Name?"), answer: { text: "Ada" } },
    { question: input("Name?"), answer: { text: "Bob" } },
    { question: confirmation("2 files?"), answer: { approved: false } },
  ];
  assert.equal(await world.call("form", {}, { answers }), '[false,"Ada","Bob"]');
});

Deno.test("a custom tool whose first question changed asks it anew, however many it asks behind it", async () => {
  await using world = await ToolWorld.open({ isConfined: true });
  await world.writeTool(
    "rename",
    `let count = 0;
     for (const _ of Deno.readDirSync("notes")) count++;
     const told = [await context.confirm("Rename " + count + " file(s)?")];
     for (let i = 0; i < 6; i++) told.push(await context.ask("Name " + i + "?"));
     return told.length;`,
  );
  await world.fixture.write("notes/0.txt", "");
  const answers: AnsweredQuestion[] = [];
  const answer = async () => {
    const question = await raisedBy(world.call("rename", {}, { answers }));
    const given = question.kind === "confirm" ? { approved: true } : { text: "a" };
    answers.push({ question, answer: given });
    return question.message;
  };
  for (let asked = 0; asked < 7; asked++) await answer();
  const files = [...Deno.readDirSync(join(world.fixture.workspace, "notes"))].length;
  for (const more of [1, 2]) {
    await world.fixture.write(`notes/more-${more}.txt`, "");
    assert.equal(await answer(), `Rename ${files + more} file(s)?`);
  }
  assert.equal(await world.call("rename", {}, { answers }), "7");
});

Deno.test("a custom tool that asks something else each time fails in the end, and asks nobody any more", async () => {
  await using world = await ToolWorld.open({ isConfined: true });
  await world.writeTool("fickle", `return await context.confirm(crypto.randomUUID());`);
  const answers: AnsweredQuestion[] = [];
  for (let time = 0; time < 4; time++) {
    const question = await raisedBy(world.call("fickle", {}, { answers }));
    answers.push({ question, answer: { approved: true } });
  }
  assert.equal(
    await failureOf(world.call("fickle", {}, { answers })),
    "The tool asked something else than before: on each run of a call it must ask the same questions in the same order.",
  );
});

Deno.test("a question without text or options is the tool's own error, and nobody's question", async () => {
  await using world = await ToolWorld.open({ isConfined: true });
  await world.writeTool(
    "mute",
    `const errors = [];
     for (const ask of [() => context.confirm(" "), () => context.ask(""), () => context.choose("Which?", [])]) {
       await ask().catch((error: Error) => errors.push(error.message));
     }
     return [...errors, await context.ask("Really?")];`,
  );
  assert.equal(
    await world.call("mute", {}, {
      answers: [{ question: input("Really?"), answer: { text: "yes" } }],
    }),
    '["A question to a person needs a text","A question to a person needs a text",' +
      '"A choice needs at least one option","yes"]',
  );
});
