// Tests custom tools that ask people: each question ends the call, and each answer repeats the call from its beginning.
import assert from "node:assert/strict";
import { QuestionRaised } from "../../../../runtime/tools/definition/raised.ts";
import type { AnsweredQuestion, HumanAnswer } from "../../../../runtime/tools/definition/tool.ts";
import type { ToolQuestion } from "../../../../runtime/tools/definition/tool.ts";
import { untilGone } from "../../../support/until.ts";
import { failureOf } from "../files/sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

/** Returns the question that a call throws, as a person sees it. */
async function questionOf(work: Promise<unknown>): Promise<ToolQuestion> {
  const error = await work.then((value) => value, (error: unknown) => error);
  assert.ok(error instanceof QuestionRaised, `expected a question, got ${error}`);
  const { answersBefore: _, ...question } = error.question;
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

Deno.test("a custom tool runs again from its beginning after each answer of a person", async (t) => {
  await using world = await ToolWorld.open();
  const tools = await world.openModule("all", {
    asker: `context.log("pid " + Deno.pid);
      const sure = await context.confirm("Delete everything?");
      const name = await context.ask("Your name?");
      const picked = await context.choose("Which?", ["a", "b", "c"], { multi: true });
      return { sure, name, picked };`,
    patient: `const sure = await context.confirm("Sure?");
      const name = await context.ask("Name?").catch((error: Error) => error.message);
      return { sure, name, picked: await context.choose("Which?", ["a"]) };`,
    mute: `const errors = [];
      for (const ask of [() => context.confirm(" "), () => context.ask(""), () => context.choose("Which?", [])]) {
        await ask().catch((error: Error) => errors.push(error.message));
      }
      return [...errors, await context.ask("Really?")];`,
  });

  await t.step("each repeated run of a custom tool has one more answer", async () => {
    const answers: AnsweredQuestion[] = [];
    const expected: [ToolQuestion, HumanAnswer][] = [
      [confirmation("Delete everything?"), { approved: true }],
      [input("Your name?"), { text: "Ada" }],
      [choice("Which?", ["a", "b", "c"], true), { selected: ["a", "c"] }],
    ];
    for (const [question, answer] of expected) {
      assert.deepEqual(await questionOf(world.run(tools.asker, {}, { answers })), question);
      answers.push({ question, answer });
    }
    const shown = await world.run(tools.asker, {}, { answers });
    assert.equal(shown, '{"sure":true,"name":"Ada","picked":["a","c"]}');
    const pids = world.logged.map((line) => Number(line.split(" ").at(-1)));
    assert.equal(pids.length, 4);
    // Nothing of a waiting call is left.
    for (const pid of pids.slice(0, 3)) await untilGone(pid);
  });

  await t.step("a custom tool continues without an answer after the deadline", async () => {
    const expired: HumanAnswer = { expired: true };
    const late = [
      { question: confirmation("Sure?"), answer: expired },
      { question: input("Name?"), answer: expired },
    ];
    const question = choice("Which?", ["a"]);
    const run = (answer: HumanAnswer) =>
      world.run(tools.patient, {}, { answers: [...late, { question, answer }] });
    assert.equal(
      await run({ selected: ["a"] }),
      '{"sure":false,"name":"Nobody answered in time","picked":["a"]}',
    );
    assert.equal(await failureOf(run(expired)), "Nobody answered in time");
  });

  await t.step(
    "a question without text or options is the tool's error",
    async () => {
      const answers = [{ question: input("Really?"), answer: { text: "yes" } }];
      assert.equal(
        await world.run(tools.mute, {}, { answers }),
        '["A question to a person needs a text","A question to a person needs a text",' +
          '"A choice needs at least one option","yes"]',
      );
    },
  );
});
