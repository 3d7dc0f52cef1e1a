// Tests the questions of MCP servers to people, through whole runs with a real server.
import assert from "node:assert/strict";
import type { HumanAnswer } from "../../../../runtime/executions/human_request.ts";
import { runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { createAskingServer } from "./asking_server.ts";
import { FixtureHttpServer } from "./http_server.ts";
import { call, createPlace, entryOf, resultsOf } from "./mcp_place.ts";

/** Runs an agent that calls tools. Gives the answers in order. Returns the questions and the results of the calls. */
type RunWith = (
  tools: string[],
  answers: HumanAnswer[],
  options?: { lines?: string; restarts?: boolean },
) => Promise<{
  questions: { message: string; kind: string; options: string[] | null }[];
  results: unknown[];
  calls: string[];
}>;

/** Defines a test whose steps share a server and a runtime. */
function test(
  name: string,
  work: (runWith: RunWith, t: Deno.TestContext) => Promise<void>,
  { modernOnly = false } = {},
): void {
  Deno.test(name, async (t) => {
    const calls: string[] = [];
    const create = () => createAskingServer(calls);
    await using server = new FixtureHttpServer({ create, modernOnly });
    await using place = await createPlace({ asking: entryOf(server) }, "none");
    let runtime = await place.open();
    let agents = 0;
    const runWith: RunWith = async (tools, answers, options = {}) => {
      const agent = `caller${++agents}`;
      calls.length = 0;
      const steps = [{ call: tools.map((name) => call(name)) }, { say: "{result}" }];
      await place.writeScript(agent, steps, options.lines ?? "mcp: [asking]");
      const questions = [];
      let { id, status } = await runToEnd(runtime, agent);
      for (const answer of answers) {
        assert.equal(status, "waiting");
        if (options.restarts) {
          await runtime[Symbol.asyncDispose]();
          runtime = await place.open();
        }
        const { requestId, message, kind, options: choices } = await runtime.pendingRequest(id);
        questions.push({ message, kind, options: choices });
        await runtime.respond(id, { requestId, answer });
        ({ id, status } = await toEnd(runtime, id));
      }
      assert.equal(status, "success");
      return { questions, results: await resultsOf(runtime, id), calls: [...calls] };
    };
    try {
      await work(runWith, t);
    } finally {
      await runtime[Symbol.asyncDispose]();
    }
  });
}

test(
  "the questions of MCP servers reach people, and their answers the servers",
  async (runWith, t) => {
    await t.step(
      "a server's question waits as a stored question, and its call is repeated with the answer",
      async () => {
        const { questions, results, calls } = await runWith(["wipe"], [{ approved: true }], {
          restarts: true,
        });
        const message = 'The MCP server "asking" asks: Really wipe?';
        assert.deepEqual(questions, [{ message, kind: "confirm", options: null }]);
        assert.deepEqual(results, ["accept {}"]);
        assert.deepEqual(calls, ["wipe", "wipe"]);
        assert.deepEqual((await runWith(["wipe"], [{ approved: false }])).results, [
          "decline null",
        ]);
      },
    );

    await t.step("a form with one field of fixed values is a choice", async () => {
      const { questions, results } = await runWith(["paint"], [{ selected: ["blue"] }]);
      assert.equal(questions[0]?.kind, "choice");
      assert.deepEqual(questions[0]?.options, ["red", "blue", "(decline)"]);
      assert.deepEqual(results, ['accept {"color":"blue"}']);
      const declined = await runWith(["paint"], [{ selected: ["(decline)"] }]);
      assert.deepEqual(declined.results, ["decline null"]);
    });

    await t.step(
      "a form with several fields is answered with lines, and asked again until it fits",
      async () => {
        const { questions, results, calls } = await runWith(["book"], [
          { text: "who: me" },
          { text: "name: Ada\nseats: nine" },
          { text: "Name: Ada: the first\n- seats: 3" },
        ]);
        assert.match(
          questions[0]?.message ?? "",
          /asks: Your booking\nAnswer with one line for each field:\n- name \(string\): Guest\n- seats \(integer\)\n- quiet \(yes \/ no; optional; default false\)\nTo decline, answer: decline$/,
        );
        assert.match(questions[1]?.message ?? "", /not accepted: A line must begin with the name/);
        assert.match(questions[2]?.message ?? "", /not accepted: .*\n?.*seats/);
        assert.deepEqual(results, ['accept {"name":"Ada: the first","seats":3,"quiet":false}']);
        assert.equal(calls.length, 4);
        assert.deepEqual((await runWith(["book"], [{ text: " Decline " }])).results, [
          "decline null",
        ]);
      },
    );

    await t.step("a call may ask several questions, one after the other", async () => {
      const answers = [{ approved: true }, { approved: false }];
      const { questions, results, calls } = await runWith(["twice"], answers);
      assert.deepEqual(
        questions.map(({ message }) => message.split("asks: ")[1]),
        ["First?", "Second?"],
      );
      assert.deepEqual(results, ["accept {}; decline null"]);
      assert.equal(calls.length, 3);
    });

    await t.step(
      "a server's question is declined for an agent without ask_user, and an address always",
      async () => {
        const lines = "mcp: [asking]\ntools: [-ask_user]";
        assert.deepEqual((await runWith(["wipe"], [], { lines })).results, ["decline null"]);
        const [visited] = (await runWith(["visit"], [])).results;
        assert.match(String(visited), /^Error: .*URL/i);
      },
    );
  },
);

test(
  "questions that a server of the newest protocol returns as a result are asked",
  async (runWith) => {
    const answers = [{ selected: ["blue"] }, { text: "Ada" }];
    const options = { restarts: true };
    const { questions, results } = await runWith(["survey"], answers, options);
    assert.deepEqual(questions.map(({ kind }) => kind), ["choice", "input"]);
    assert.deepEqual(results.map((one) => JSON.parse(String(one))), [{
      color: { action: "accept", content: { color: "blue" } },
      name: { action: "accept", content: { name: "Ada" } },
    }]);
    const declined = await runWith(["survey"], [], {
      lines: "mcp: [asking]\ntools: [-ask_user]",
    });
    assert.deepEqual(declined.results.map((one) => JSON.parse(String(one))), [
      { color: { action: "decline" }, name: { action: "decline" } },
    ]);
  },
  { modernOnly: true },
);

Deno.test("a question during several calls of a server fails its call, and the next call is asked about", async () => {
  const calls: string[] = [];
  await using server = new FixtureHttpServer({ create: () => createAskingServer(calls) });
  await using place = await createPlace({ asking: entryOf(server) }, "none");
  await place.writeScript("caller", [
    { call: [call("wipe"), call("paint")] },
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
  assert.ok(results.some((one) => String(one).includes("Call the tool again")), String(results));
  assert.deepEqual(results.slice(-2).toSorted(), ["accept {}", "plain"]);
});
