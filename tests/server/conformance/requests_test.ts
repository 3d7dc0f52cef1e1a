// API conformance: questions to people, their answers, and the stream events about them.
import assert from "node:assert/strict";
import { PendingBody } from "../../../api/schemas/request_schemas.ts";
import { until } from "../../support/until.ts";
import { overTcp as test, type Reached, TIMESTAMP } from "./both_transports.ts";

const QUESTIONS = {
  confirm: { name: "file_write", arguments: { path: "a.txt", content: "a" } },
  input: { name: "ask_user", arguments: { question: "Which name?" } },
  choice: {
    name: "ask_user",
    arguments: { question: "Which ones?", options: ["red", "blue"], multi: true },
  },
} as const;

/** Runs an agent that asks a question, and returns its execution once it waits. */
async function ask(on: Reached, kind: keyof typeof QUESTIONS, lines = ""): Promise<number> {
  const { name, arguments: args } = QUESTIONS[kind];
  await on.workspace.writeScript(
    kind,
    [{ call: [{ name, arguments: args }] }, { say: "Done." }],
    `on_pending: parallel\n${lines}`,
  );
  await on.client.reload();
  const { execution_id: id } = await on.client.run(kind);
  assert.equal((await on.framesOf(id)).at(-1)?.event, "waiting");
  return id;
}

const respond = (on: Reached, id: number, json: unknown) =>
  on.call(`/executions/${id}/respond`, { method: "POST", json });

/** Invalid answers for each kind of question, a valid answer, and the text that the model gets. */
const ANSWERS: Record<keyof typeof QUESTIONS, { bad: unknown[]; good: object; result: string }> = {
  confirm: {
    bad: [{}, { approved: "yes" }, { text: "yes" }, { approved: true, text: "yes" }],
    good: { approved: false, reason: "not today" },
    result: "Action denied by user: not today",
  },
  input: {
    bad: [{ approved: true }, { text: 1 }, { selected: [] }, null, "yes"],
    good: { text: "Ürs 🙂" },
    result: "Ürs 🙂",
  },
  choice: {
    bad: [
      { selected: ["green"] },
      { selected: [] },
      { selected: ["red", "red"] },
      { selected: "red" },
      { text: "red" },
      { selected: ["red"], text: "red" },
    ],
    good: { selected: ["blue", "red"] },
    result: "blue, red",
  },
};

for (const kind of ["confirm", "input", "choice"] as const) {
  test(`a question of kind ${kind} stays open until a valid answer`, async (on) => {
    const id = await ask(on, kind, kind === "confirm" ? "confirm_timeout: 1h" : "");
    const pending = await on.call(`/executions/${id}/pending`);
    assert.equal(pending.status, 200);
    const question = PendingBody.parse(pending.body);
    assert.deepEqual(question, pending.body);
    const isChoice = kind === "choice";
    assert.deepEqual(
      [question.execution_id, question.kind, question.tool_name, question.options, question.multi],
      [id, kind, QUESTIONS[kind].name, isChoice ? ["red", "blue"] : null, isChoice],
    );
    const isConfirm = kind === "confirm";
    assert.equal(pending.body.tool_args.path, isConfirm ? "a.txt" : undefined);
    const { request_id, created_at, expires_at } = question;
    assert.match(created_at, TIMESTAMP);
    const expected = isConfirm ? Date.parse(created_at) + 3_600_000 : null;
    assert.equal(expires_at && Date.parse(expires_at), expected);

    const { bad, good, result } = ANSWERS[kind];
    for (const response of bad) {
      const { status, body } = await respond(on, id, { request_id, response });
      assert.equal(status, 422, JSON.stringify(response));
      const [issue] = body.detail;
      assert.deepEqual(Object.keys(issue).sort(), ["input", "loc", "msg", "type"]);
      assert.equal(issue.loc[0], "body");
      assert.notEqual(issue.msg, "");
    }
    assert.equal((await on.client.pending(id)).request_id, request_id);

    const json = { request_id, response: good };
    const { status, body } = await respond(on, id, json);
    assert.deepEqual([status, body], [200, { status: "resuming", execution_id: id }]);
    const frames = await on.framesOf(id);
    assert.equal(frames.at(-1)?.payload["status"], "success");
    const answered = frames.find(({ event }) => event === "tool_result");
    assert.equal(answered?.payload["content"], result);
    assert.equal((await respond(on, id, json)).status, 409);
  });
}

test("pending and respond return 404 without an execution or a question", async (on) => {
  const response = { request_id: "x", response: { approved: true } };
  const unknown = { detail: "Execution not found" };
  for (const id of [999_999, "9007199254740993"]) {
    const pending = await on.call(`/executions/${id}/pending`);
    assert.deepEqual([pending.status, pending.body], [404, unknown]);
    const answer = await on.call(`/executions/${id}/respond`, { method: "POST", json: response });
    assert.deepEqual([answer.status, answer.body], [404, unknown]);
  }
  const { id } = await on.runToEnd("writer");
  const pending = await on.call(`/executions/${id}/pending`);
  assert.deepEqual([pending.status, pending.body], [404, { detail: "No pending request" }]);
  assert.equal((await respond(on, id, response)).status, 409);
});

test("one of 50 concurrent answers gets 200, and the call runs once", async (on) => {
  const id = await ask(on, "confirm");
  const { request_id } = await on.client.pending(id);
  const json = { request_id, response: { approved: true } };
  const answers = await Promise.all(Array.from({ length: 50 }, () => respond(on, id, json)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array<number>(49).fill(409)]);
  const results = (await on.framesOf(id)).filter(({ event }) => event === "tool_result");
  assert.equal(results.length, 1);
});

test("the log and the stream contain the question of a waiting execution", async (on) => {
  const id = await ask(on, "confirm");
  const frames = await on.framesOf(id);
  const [interrupt, waiting] = frames.slice(-2);
  assert.deepEqual([interrupt?.event, waiting?.event], ["interrupt", "waiting"]);
  assert.equal(typeof interrupt?.id, "number");
  assert.equal(waiting?.id, null);
  // Only `pending` returns the preview and the number of runs, because they may change.
  const {
    execution_id: _,
    asked_by: _by,
    is_guard: _guard,
    preview: _preview,
    waiting_runs: _runs,
    ...question
  } = await on.client.pending(id);
  for (const frame of [interrupt, waiting]) {
    for (const [name, value] of Object.entries(question)) {
      assert.deepEqual(frame?.payload[name], value, `${frame?.event} ${name}`);
    }
    assert.deepEqual(
      [frame?.payload["event_type"], frame?.payload["agent_id"], frame?.payload["execution_id"]],
      [frame?.event, "confirm", id],
    );
  }
  // A reader that reconnects after the last frame gets the answer and the end.
  await on.client.respond(id, { request_id: question.request_id, response: { approved: true } });
  const rest = await Array.fromAsync(on.client.follow(id, { after: interrupt?.id ?? 0 }));
  assert.equal(rest[0]?.payload["content"], "Approved");
  assert.equal(rest.at(-1)?.event, "complete");
});

test("GET /events/stream reports a question and then its answer", async (on) => {
  const events: string[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const { event, payload } of on.client.events({ signal: stop.signal })) {
      if (!event.startsWith("execution_")) continue;
      events.push(event);
      if (event === "execution_waiting") {
        assert.deepEqual(
          [payload["agent_name"], payload["kind"], payload["message"]],
          ["input", "input", "Which name?"],
        );
        await on.client.respond(Number(payload["execution_id"]), {
          request_id: String(payload["request_id"]),
          response: { text: "x" },
        });
      }
      if (event === "execution_completed") return;
    }
  })();
  await until(async () => (await on.client.info()).active_streams === 1, "1 open stream");
  await ask(on, "input");
  await reading;
  assert.deepEqual(events, [
    "execution_started",
    "execution_waiting",
    "execution_resumed",
    "execution_completed",
  ]);
});
