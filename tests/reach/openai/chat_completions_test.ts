// Tests /v1/models and /v1/chat/completions with the real `openai` package.
import assert from "node:assert/strict";
import OpenAI, { APIError } from "openai";
import { until } from "../../support/until.ts";
import { call } from "../../runtime/executions/executions_of.ts";
import { served } from "../served.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content });

/** Returns the error of a rejected request. */
async function refusal(request: Promise<unknown>): Promise<APIError> {
  const error = await request.then(() => undefined, (error) => error);
  assert.ok(error instanceof APIError, String(error));
  return error;
}

Deno.test("the models are the exposed agents", async () => {
  await using on = await served();
  const models = await Array.fromAsync(await on.openai.models.list());
  assert.deepEqual(models.map(({ id, object, owned_by }) => [id, object, owned_by]), [
    ["talk", "model", "inkling"],
  ]);
  assert.equal((await on.openai.models.retrieve("talk")).id, "talk");
  for (const hidden of ["hidden", "none"]) {
    const { status, code } = await refusal(on.openai.models.retrieve(hidden));
    assert.deepEqual([status, code], [404, "model_not_found"]);
  }
});

Deno.test("a completion is a run with the messages of the request as its history, with usage", async () => {
  await using on = await served();
  const completion = await on.openai.chat.completions.create({
    model: "talk",
    messages: [
      { role: "system", content: "Be short." },
      user("I am Ada."),
      assistant("Hello."),
      {
        role: "user",
        content: [
          { type: "text", text: "Who am I?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ],
    temperature: 0.1,
    max_tokens: 5,
    top_p: 0.5,
  });
  const [choice] = completion.choices;
  assert.equal(completion.object, "chat.completion");
  assert.deepEqual([choice?.message.content, choice?.finish_reason], ["Answer 1", "stop"]);
  const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
  assert.deepEqual([prompt_tokens, completion_tokens, total_tokens], [10, 5, 15]);
  const [before, answer, last] = on.sent(0);
  assert.deepEqual([before, answer], [["user", "I am Ada."], ["assistant", "Hello."]]);
  const [{ text }, { image_url: image }] = last?.[1] as [
    { text: string },
    { image_url: { url: string } },
  ];
  assert.equal(text, "Who am I?\n\nContext:\nBe short.\n\n[picture 1x1 PNG, 1 KB]");
  assert.ok(image.url.endsWith(PNG));
  const [run] = await on.client.executions({ agent: "talk" });
  assert.equal(completion.id, `chatcmpl-${run?.id}`);
  assert.equal(run?.trigger, "manual");
});

Deno.test("a streamed completion sends the text while it is generated, reasoning and calls, and usage on request", async () => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  let isCalled = false;
  await using on = await served((body) => {
    if (JSON.stringify(body.messages).includes('"tool"')) return undefined;
    isCalled = true;
    return {
      text: "Let me see.",
      toolCalls: [{ name: "memory_retrieve", arguments: {} }],
      after: goOn,
    };
  });
  const stream = await on.openai.chat.completions.create({
    model: "talk",
    messages: [user("Hi")],
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let reasoning = "";
  let finish: string | null = null;
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const { choices: [choice], usage: used } of stream) {
    text += choice?.delta.content ?? "";
    reasoning += (choice?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ??
      "";
    finish = choice?.finish_reason ?? finish;
    usage ??= used;
    if (isCalled) resolve();
    else await until(() => isCalled, "the model's call").then(resolve);
  }
  assert.equal(text, "Let me see.\n\nAnswer 1");
  assert.equal(reasoning.trim(), "→ memory_retrieve {}");
  assert.equal(finish, "stop");
  assert.deepEqual([usage?.prompt_tokens, usage?.total_tokens], [20, 30]);
});

Deno.test("runs of requests neither see each other nor other runs, and nothing holds them", async () => {
  await using on = await served();
  await on.client.run("talk", { message: "Manual" });
  await Promise.all(
    ["A", "B", "C"].map((text) =>
      on.openai.chat.completions.create({ model: "talk", messages: [user(text)] })
    ),
  );
  await on.script("asker", [{ call: [call("ask_user", { question: "Which?" })] }, {
    say: "Done.",
  }]);
  await on.client.run("asker", { message: "first" });
  await until(
    async () => (await on.client.executions({ status: ["waiting"] })).length === 1,
    "it waits",
  );
  const asked = await on.openai.chat.completions.create({ model: "asker", messages: [user("x")] });
  assert.match(asked.choices[0]?.message.content ?? "", /^Which\?/);
  for (const index of [0, 1, 2, 3]) assert.equal(on.sent(index).length, 1);
});

Deno.test("with X-Session-Id the stored conversation goes on, and only the last message counts", async () => {
  await using on = await served();
  const headers = { "X-Session-Id": "s1" };
  const ask = (...messages: OpenAI.ChatCompletionMessageParam[]) =>
    on.openai.chat.completions.create({ model: "talk", messages }, { headers });
  await ask(user("One"));
  await ask(user("Other"), assistant("Never said."), user("Two"));
  assert.deepEqual(on.sent(1), [["user", "One"], ["assistant", "Answer 1"], ["user", "Two"]]);
  const runs = await on.client.executions({ agent: "talk", session: "s1", trigger: "chat" });
  assert.equal(runs.length, 2);
});

Deno.test("a question is a turn that names its run, and the next turn behind it is its answer", async () => {
  await using on = await served();
  const ask = (question: object) => ({ call: [call("ask_user", question)] });
  await on.script("asker", [
    ask({ question: "Which color?", options: ["red", "blue"] }),
    ask({ question: "Which name?" }),
    { say: "Done." },
  ]);
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  const say = async (content: string, options: object = {}) => {
    messages.push(user(content));
    const { choices } = await on.openai.chat.completions.create({
      model: "asker",
      messages,
      ...options,
    }) as OpenAI.ChatCompletion;
    messages.push(assistant(choices[0]?.message.content ?? ""));
    return choices[0]?.message.content ?? "";
  };
  const first = await say("Go");
  assert.match(
    first,
    /^Which color\?\n\n1\. red\n2\. blue\n\n\[Run 1 waits for your answer: the number of a choice · [\w-]{8}\]$/,
  );
  assert.equal(await say("green"), first);
  const second = await say("2");
  assert.match(second, /^Which name\?\n\n\[Run 1 waits for your answer · [\w-]{8}\]$/);
  assert.equal(await say("Ada"), "Done.");
  const rows = await on.client.messages(1);
  const answers = rows.filter(({ metadata }) => metadata?.includes("answered_via"));
  assert.deepEqual(answers.map(({ message }) => message), ["blue", "Ada"]);
  assert.ok(answers.every(({ metadata }) => metadata?.includes('"answered_via":"program"')));
  assert.equal((await on.client.executions({ agent: "asker" })).length, 1);
  // The same branch again: the run has ended, so the turn is its end.
  messages.splice(messages.length - 2);
  assert.equal(await say("Bob"), "Done.");
  // A turn that looks like a question of this run, but is none of this service.
  messages.splice(
    0,
    messages.length,
    user("Go"),
    assistant(second.replace(/· .*\]/, "· 00000000]")),
  );
  const error = await refusal(say("Eve"));
  assert.equal(error.status, 409);
});

Deno.test("a program approves nothing: the turn says where a person does, and goes on behind it", async () => {
  for (const respond of [false, true]) {
    await using on = await served(undefined, respond ? "expose: { respond: true }\n" : "");
    await on.script("writer", [
      { call: [call("file_write", { path: "a.txt", content: "a\n" })] },
      { say: "Written." },
    ]);
    const ask = async (...messages: OpenAI.ChatCompletionMessageParam[]) =>
      (await on.openai.chat.completions.create({ model: "writer", messages }))
        .choices[0]?.message.content ?? "";
    const question = await ask(user("Write"));
    assert.match(
      question,
      respond
        ? /\[Run 1 waits for your answer: yes or no · /
        : /\[Run 1 waits for a person: inkling respond 1, or the page · /,
    );
    assert.match(question, /\n\na\.txt\n\n```diff\n[^]*\+a\n/);
    const next = await ask(user("Write"), assistant(question), user("yes"));
    assert.equal(next, respond ? "Written." : question);
    if (respond) continue;
    const { request_id } = await on.client.pending(1);
    await on.client.respond(1, { request_id, response: { approved: true } });
    assert.equal(await ask(user("Write"), assistant(question), user("done?")), "Written.");
    assert.equal((await on.client.executions({ agent: "writer" })).length, 1);
  }
});

Deno.test("the question about a call without a diff shows its arguments", async () => {
  await using on = await served(undefined, "expose: { respond: true }\n");
  const command = { command: "git log -3" };
  await on.script("runner", [{ call: [call("shell", command)] }, { say: "Done." }], "shell: true");
  const { choices: [choice] } = await on.openai.chat.completions.create({
    model: "runner",
    messages: [user("Go")],
  });
  const asked = choice?.message.content ?? "";
  assert.match(asked, /```json\n\{\n {2}"command": "git log -3"\n\}\n```\n\n\[Run 1 waits for/);
});

Deno.test("a closed stream cancels its run", async () => {
  await using on = await served(() => ({ text: "Begin", then: "hang" }));
  const stream = await on.openai.chat.completions.create({
    model: "talk",
    messages: [user("Hi")],
    stream: true,
  });
  for await (const { choices: [choice] } of stream) if (choice?.delta.content === "Begin") break;
  await until(async () => (await on.client.execution(1)).status === "aborted", "the cancel");
});

Deno.test("a repeated request joins its first run, and a new one does not", async () => {
  await using on = await served();
  const ask = async (text: string, headers: Record<string, string> = {}, session = "") =>
    (await on.openai.chat.completions.create({ model: "talk", messages: [user(text)] }, {
      headers: { ...headers, ...(session && { "X-Session-Id": session }) },
    })).id;
  const first = await ask("Same");
  const second = await ask("Same");
  assert.notEqual(second, first);
  assert.equal(await ask("Same", { "x-stainless-retry-count": "1" }), second);
  assert.notEqual(await ask("Other", { "x-stainless-retry-count": "1" }), second);
  const keyed = await ask("Keyed", { "Idempotency-Key": "k" });
  assert.equal(await ask("Keyed", { "Idempotency-Key": "k" }), keyed);
  const error = await refusal(ask("Different", { "Idempotency-Key": "k" }));
  assert.equal(error.status, 409);
  assert.equal(error.headers?.get("x-should-retry"), "false");
  const chat = await ask("Chat", {}, "s");
  assert.equal(await ask("Chat", { "x-stainless-retry-count": "1" }, "s"), chat);
});

Deno.test("refusals have OpenAI's shape and the place of the problem, and start nothing", async () => {
  await using on = await served();
  const tool = { type: "function", function: { name: "f", parameters: {} } } as const;
  const base = { model: "talk", messages: [user("Hi")] };
  const image = (url: string) => ({
    ...base,
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
  });
  const refused: [body: object, param: string | null, code: string][] = [
    [{ ...base, tools: [tool] }, "tools", "unsupported_parameter"],
    [{ ...base, n: 2 }, "n", "unsupported_parameter"],
    [
      { ...base, response_format: { type: "json_object" } },
      "response_format",
      "unsupported_parameter",
    ],
    [{ ...base, messages: [] }, "messages", "invalid_value"],
    [{ ...base, messages: [assistant("Hi")] }, "messages", "invalid_value"],
    [{ ...base, messages: [{ role: "user", content: " " }] }, "messages", "invalid_value"],
    [{ ...base, messages: [{ role: "user", content: 1 }] }, "messages[0].content", "invalid_value"],
    [
      { ...base, messages: [{ role: "tool", content: "x", tool_call_id: "t" }] },
      "messages[0].role",
      "unsupported_role",
    ],
    [image("https://example.com/a.png"), "messages[0].content[0]", "invalid_image_url"],
    [
      { ...base, messages: [{ role: "user", content: [{ type: "input_audio" }] }] },
      "messages[0].content[0]",
      "unsupported_content",
    ],
    [{ messages: base.messages }, "model", "invalid_value"],
    [
      {
        ...base,
        messages: [
          user(
            "### Task:\nGenerate a concise title.\n### Output:\nJSON\n<chat_history>\n</chat_history>",
          ),
        ],
      },
      null,
      "task_request",
    ],
  ];
  for (const [body, param, code] of refused) {
    const error = await refusal(
      on.openai.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming),
    );
    assert.deepEqual([error.status, error.type, error.param, error.code], [
      400,
      "invalid_request_error",
      param,
      code,
    ], JSON.stringify(body));
  }
  const broken = await refusal(
    on.openai.chat.completions.create(
      image(`data:image/png;base64,${btoa("no picture")}`) as never,
    ),
  );
  assert.equal(broken.status, 422);
  const hidden = await refusal(on.openai.chat.completions.create({ ...base, model: "hidden" }));
  assert.deepEqual([hidden.status, hidden.code, hidden.param], [404, "model_not_found", "model"]);
  assert.deepEqual(await on.client.executions(), []);
});

Deno.test("a failed run is an error that is not retried, also in a stream", async () => {
  await using on = await served(() => ({ status: 401, body: '{"error":{"message":"bad key"}}' }));
  const body = { model: "talk", messages: [user("Hi")] };
  const whole = await refusal(on.connect({ maxRetries: 2 }).chat.completions.create(body));
  assert.deepEqual([whole.status, whole.code], [500, "run_error"]);
  const stream = await on.openai.chat.completions.create({ ...body, stream: true });
  const streamed = await refusal(Array.fromAsync(stream));
  assert.match(streamed.message, /Run 2 ended with error/);
  assert.equal((await on.client.executions()).length, 2);
});
