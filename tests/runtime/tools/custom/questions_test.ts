// Custom tools that ask people: each question ends the call, each answer runs it again from the beginning.
import assert from "node:assert/strict";
import { systemProcesses } from "../../../../cli/service/processes.ts";
import type { JsonValue } from "../../../../base/json.ts";
import { QuestionRaised } from "../../../../runtime/tools/question_raised.ts";
import type { AnsweredQuestion, HumanAnswer } from "../../../../runtime/tools/tool.ts";
import type { ToolQuestion } from "../../../../runtime/tools/tool.ts";
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
  const shown = await world.call("asker", {}, { answers });
  assert.equal(shown, '{"sure":true,"name":"Ada","picked":["a","c"]}');
  const pids = world.logged.map((line) => Number(line.split(" ").at(-1)));
  assert.equal(pids.length, 4);
  for (const pid of pids.slice(0, 3)) {
    const isDone = async () => !(await systemProcesses.isAlive(pid));
    await until(isDone, "nothing of a waiting call is left");
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
  await world.writeTool("fickle", `return await context[args.kind](...args.question);`);
  const sure = confirmation("Delete 1 file?");
  const others: [
    asked: [string, ...JsonValue[]],
    question: ToolQuestion,
    before: AnsweredQuestion,
  ][] = [
    [
      ["confirm", "Delete 500 files?"],
      confirmation("Delete 500 files?"),
      { question: sure, answer: { approved: true } },
    ],
    [["ask", sure.message], input(sure.message), { question: sure, answer: { approved: true } }],
    [
      ["confirm", "Delete 500 files?"],
      confirmation("Delete 500 files?"),
      { question: sure, answer: { expired: true } },
    ],
    [
      ["choose", "Which?", ["b", "a"]],
      choice("Which?", ["b", "a"]),
      { question: choice("Which?", ["a", "b"]), answer: { selected: ["b"] } },
    ],
    [
      ["choose", "Which?", ["a", "b"], { multi: true }],
      choice("Which?", ["a", "b"], true),
      { question: choice("Which?", ["a", "b"]), answer: { selected: ["b"] } },
    ],
  ];
  for (const [[kind, ...asked], question, before] of others) {
    const call = world.call("fickle", { kind, question: asked }, { answers: [before] });
    assert.deepEqual(await questionOf(call), question);
  }
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
