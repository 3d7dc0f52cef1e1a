// Tests the questions of MCP servers to people: through whole runs with a real server, and the pause after a question.
import assert from "node:assert/strict";
import type { HumanAnswer } from "../../../../runtime/executions/human_request.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { QuestionRaised } from "../../../../runtime/tools/definition/raised.ts";
import { Elicitations } from "../../../../runtime/tools/mcp/elicitation/elicitations.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { runToEnd, type TestWorkspace, toEnd } from "../../../support/test_workspace.ts";
import { createAskingServer } from "./asking_server.ts";
import { FixtureHttpServer } from "./http_server.ts";
import { call, createPlace, entryOf, resultsOf } from "./mcp_place.ts";

interface Asked {
  questions: { message: string; kind: string; options: string[] | null }[];
  results: unknown[];
}

/** A server that asks questions, and agents that call its tools. Each agent has a session of its own, so several can run. */
class AskingWorld implements AsyncDisposable {
  /** The names of the called tools. */
  readonly calls: string[] = [];
  readonly #server: FixtureHttpServer;
  #place!: TestWorkspace;
  #runtime!: Runtime;
  #agents = 0;

  private constructor(modernOnly: boolean) {
    this.#server = new FixtureHttpServer({
      create: () => createAskingServer(this.calls),
      modernOnly,
    });
  }

  static async open({ modernOnly = false } = {}): Promise<AskingWorld> {
    const world = new AskingWorld(modernOnly);
    const { url } = world.#server;
    const servers = Array.from({ length: 9 }, (_, at) => [`asking${at}`, { url: `${url}?${at}` }]);
    world.#place = await createPlace(Object.fromEntries(servers), "none");
    world.#runtime = await world.#place.open();
    return world;
  }

  /**
   * Runs an agent that calls tools, and gives the answers in order. `restarts`: restarts the service before each answer.
   * `mayAnswer`: each answer waits until it returns true for the number of the answer, beginning with 1.
   */
  async run(
    tools: string[],
    answers: HumanAnswer[],
    { lines = "", restarts = false, mayAnswer = (_number: number): boolean => true } = {},
  ): Promise<Asked> {
    const at = this.#agents++;
    const steps = [{ call: tools.map((name) => call(name)) }, { say: "{result}" }];
    await this.#place.writeScript(`caller${at}`, steps, `mcp: [asking${at}]${lines}`);
    const questions = [];
    let { id, status } = await runToEnd(this.#runtime, `caller${at}`);
    for (const answer of answers) {
      assert.equal(status, "waiting");
      if (restarts) {
        await this.#runtime[Symbol.asyncDispose]();
        this.#runtime = await this.#place.open();
      }
      const { requestId, message, kind, options } = await this.#runtime.pendingRequest(id);
      await until(() => mayAnswer(questions.length + 1), "the server has ended the cancelled call");
      questions.push({ message: message.replace(/"asking\d"/, '"asking"'), kind, options });
      await this.#runtime.respond(id, { requestId, answer });
      ({ id, status } = await toEnd(this.#runtime, id));
    }
    assert.equal(status, "success");
    return { questions, results: await resultsOf(this.#runtime, id) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime[Symbol.asyncDispose]();
    await this.#place[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}

const ASKS_NOBODY = { lines: "\ntools: [-ask_user]" };

Deno.test("the questions of MCP servers reach people, and their answers the servers", async (t) => {
  await using world = await AskingWorld.open();
  const { calls } = world;
  const countOf = (name: string) => calls.filter((one) => one === name).length;

  await t.step(
    "a server's question waits as a stored question, and its call is repeated with the answer",
    async () => {
      const answers = [{ approved: true }];
      const { questions, results } = await world.run(["wipe"], answers, { restarts: true });
      const message = 'The MCP server "asking" asks: Really wipe?';
      assert.deepEqual(questions, [{ message, kind: "confirm", options: null }]);
      assert.deepEqual(results, ["accept {}"]);
      assert.deepEqual(calls, ["wipe", "wipe"]);
    },
  );

  // These runs are concurrent, because the product pauses after each question.
  const [denied, painted, unpainted, booked, unbooked, twice, mute, visited] = await Promise.all([
    world.run(["wipe"], [{ approved: false }]),
    world.run(["paint"], [{ selected: ["blue"] }]),
    world.run(["paint"], [{ selected: ["(decline)"] }]),
    world.run(["book"], [
      { text: "who: me" },
      { text: "name: Ada\nseats: nine" },
      { text: "Name: Ada: the first\n- seats: 3" },
    ]),
    world.run(["book"], [{ text: " Decline " }]),
    // The server continues its cancelled call and asks the second question. That question is not for the next call.
    world.run(["twice"], [{ approved: true }, { approved: false }], {
      mayAnswer: (number) => countOf("twice ended") === number,
    }),
    world.run(["wipe"], [], ASKS_NOBODY),
    world.run(["visit"], []),
  ]);

  await t.step("a question can be declined", () => {
    for (const { results } of [denied, unpainted, unbooked]) {
      assert.deepEqual(results, ["decline null"]);
    }
  });

  await t.step("a form with one field of fixed values is a choice", () => {
    assert.equal(painted.questions[0]?.kind, "choice");
    assert.deepEqual(painted.questions[0]?.options, ["red", "blue", "(decline)"]);
    assert.deepEqual(painted.results, ['accept {"color":"blue"}']);
  });

  await t.step(
    "a form with several fields is answered with lines, and asked again until it fits",
    () => {
      const [first, second, third] = booked.questions.map(({ message }) => message);
      assert.match(
        first ?? "",
        /asks: Your booking\nAnswer with one line for each field:\n- name \(string\): Guest\n- seats \(integer\)\n- quiet \(yes \/ no; optional; default false\)\nTo decline, answer: decline$/,
      );
      assert.match(second ?? "", /not accepted: A line must begin with the name/);
      assert.match(third ?? "", /not accepted: .*\n?.*seats/);
      const expected = 'accept {"name":"Ada: the first","seats":3,"quiet":false}';
      assert.deepEqual(booked.results, [expected]);
      assert.equal(countOf("book"), 4 + 2);
    },
  );

  await t.step("a call may ask several questions, one after the other", () => {
    const messages = twice.questions.map(({ message }) => message.split("asks: ")[1]);
    assert.deepEqual(messages, ["First?", "Second?"]);
    assert.deepEqual(twice.results, ["accept {}; decline null"]);
    assert.equal(countOf("twice"), 3);
  });

  await t.step(
    "a server's question is declined for an agent without ask_user, and an address always",
    () => {
      assert.deepEqual(mute.results, ["decline null"]);
      assert.match(String(visited.results[0]), /^Error: .*URL/i);
    },
  );
});

Deno.test("questions that a server of the newest protocol returns as a result are asked", async () => {
  await using world = await AskingWorld.open({ modernOnly: true });
  const answers = [{ selected: ["blue"] }, { text: "Ada" }];
  const { questions, results } = await world.run(["survey"], answers, { restarts: true });
  assert.deepEqual(questions.map(({ kind }) => kind), ["choice", "input"]);
  const parsed = (results: unknown[]) => results.map((one) => JSON.parse(String(one)));
  assert.deepEqual(parsed(results), [{
    color: { action: "accept", content: { color: "blue" } },
    name: { action: "accept", content: { name: "Ada" } },
  }]);
  const declined = await world.run(["survey"], [], ASKS_NOBODY);
  assert.deepEqual(parsed(declined.results), [
    { color: { action: "decline" }, name: { action: "decline" } },
  ]);
});

Deno.test("a question during several calls of a server fails its call, and the next call is asked about", async () => {
  const calls: string[] = [];
  await using server = new FixtureHttpServer({ create: () => createAskingServer(calls) });
  await using place = await createPlace({ asking: entryOf(server) }, "none");
  await place.writeScript("caller", [
    { call: [call("ask_beside"), call("beside")] },
    { call: [call("wipe"), call("plain")] },
    { say: "{result}" },
  ], "mcp: [asking]");
  await using runtime = await place.open();
  const waiting = await runToEnd(runtime, "caller");
  assert.equal(waiting.status, "waiting");
  const request = await runtime.pendingRequest(waiting.id);
  await runtime.respond(waiting.id, { requestId: request.requestId, answer: { approved: true } });
  const ended = await toEnd(runtime, waiting.id);
  assert.equal(ended.status, "success");
  const results = await resultsOf(runtime, waiting.id);
  const failed = results.filter((one) => String(one).includes("Call the tool again"));
  assert.equal(failed.length, 1, String(results));
  const others = results.filter((one) => !failed.includes(one));
  assert.deepEqual(others.toSorted(), ["accept {}", "beside", "plain"]);
});

Deno.test("after a call that was cancelled for a question, the next call gives the server time to end it", async () => {
  const clock = new TestClock();
  const { signal } = new AbortController();
  const elicitations = new Elicitations({ server: "asking", secrets: [], clock, ended: signal });
  const call = { answers: [], mayAsk: true };
  const ask = (message: string) =>
    elicitations.answer({ message, requestedSchema: { type: "object", properties: {} } });
  const cancelled = elicitations.run(call, signal, async (signal) => {
    await ask("First?");
    signal.throwIfAborted();
  });
  await assert.rejects(cancelled, QuestionRaised);
  let hasStarted = false;
  const next = elicitations.run(call, signal, () => {
    hasStarted = true;
    return Promise.resolve("done");
  });
  assert.deepEqual(await ask("Second?"), { action: "cancel" });
  await clock.advance(499);
  assert.equal(hasStarted, false);
  await clock.advance(1);
  assert.equal(await next, "done");
});
