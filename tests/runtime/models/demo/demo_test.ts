import assert from "node:assert/strict";
import { createModel } from "../../../../runtime/models/demo/demo.ts";
import type { Message } from "../../../../runtime/models/message.ts";
import type { ModelReply } from "../../../../runtime/models/model.ts";
import type { Clock } from "../../../../base/clock.ts";
import { type CollectedReply, collectReply, modelRequest } from "../../../support/collect_reply.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";

/** Makes one call of a demo model, with a clock that advances at each wait. */
function play(
  name: string,
  messages: Message[],
  clock: Clock = instantClock(),
): Promise<CollectedReply> {
  return collectReply(createModel({ name, clock }), modelRequest({ messages }));
}

function instantClock(): Clock {
  return { now: () => 0, sleep: () => Promise.resolve() };
}

function scriptFailure(messages: Message[], expected: RegExp): Promise<void> {
  return assert.rejects(play("script", messages), {
    name: "ModelError",
    retryable: false,
    message: expected,
  });
}

function task(steps: unknown): Message {
  const block = "```demo\n" + JSON.stringify(steps, null, 2) + "\n```";
  const content = `<environment>e</environment>\n<task>\nDo it.\n\n${block}\n</task>`;
  return { role: "system", content };
}

const GO: Message = { role: "user", content: "Execute your task." };

/** Returns the conversation extended by a reply and the results of its tool calls. */
function after(messages: Message[], reply: ModelReply, ...results: string[]): Message[] {
  return [
    ...messages,
    reply.message,
    ...reply.message.toolCalls.map((call, index): Message => ({
      role: "tool",
      toolCallId: call.id,
      toolName: call.name,
      content: results[index] ?? "",
      isError: results[index]?.startsWith("Error: ") ?? false,
    })),
  ];
}

Deno.test("demo/echo answers with the last user turn", async () => {
  const content = "  Say  this.\nTwice. ";
  const { reply, text } = await play("echo", [GO, { role: "user", content }]);
  assert.deepEqual([reply.message.content, text, reply.stop], [content, content, "end"]);
});

Deno.test("demo/report reads the file, writes the report and answers with its summary", async () => {
  const system: Message = {
    role: "system",
    content:
      "<environment>See other.md</environment>\n<task>\nRead `notes.md`, e.g. today, and write " +
      "the report to reports/notes-report.md.\n</task>",
  };
  const start: Message[] = [system, GO];
  const first = await play("report", start);
  assert.equal(first.reply.stop, "tool_calls");
  assert.deepEqual(first.reply.message.toolCalls, [{
    id: "demo_2_1",
    name: "file_read",
    arguments: '{"path":"notes.md","with_line_numbers":false}',
  }]);
  const notes = "# Garden\n\n- [ ] water the roses\n- [x] cut the roses\n";
  const read = after(start, first.reply, notes);
  const second = await play("report", read);
  const [write] = second.reply.message.toolCalls;
  assert.equal(write?.name, "file_write");
  assert.deepEqual(JSON.parse(write?.arguments ?? ""), {
    path: "reports/notes-report.md",
    content: "# Report on notes.md\n\n- 8 words in 3 lines\n- 1 open item, 1 done\n" +
      "- Sections: Garden\n- Open: water the roses\n- Most frequent words: roses (2)\n",
  });
  const third = await play("report", after(read, second.reply, "Created reports/notes-report.md"));
  assert.equal(third.reply.stop, "end");
  assert.equal(
    third.text,
    "notes.md: 8 words in 3 lines; 1 open item, 1 done; Sections: Garden.\n\n" +
      "The report is in reports/notes-report.md.",
  );
});

Deno.test("demo/report sums columns, writes report.md by default, and stops at a failed step", async () => {
  assert.match((await play("report", [GO])).text, /Name the file in the task/);
  const start: Message[] = [{ role: "user", content: "Look at {data}/sales.csv please." }];
  const first = await play("report", start);
  const unread = await play("report", after(start, first.reply, "Error: no such file"));
  assert.equal(unread.text, "I could not read {data}/sales.csv. Error: no such file");
  const read = after(start, first.reply, "day,cups,price\nMon,12,1.5\nTue,30,2.25\n");
  const second = await play("report", read);
  assert.deepEqual(JSON.parse(second.reply.message.toolCalls[0]?.arguments ?? ""), {
    path: "report.md",
    content: "# Report on {data}/sales.csv\n\n- 2 rows of 3 columns\n- Sum of cups: 42\n" +
      "- Sum of price: 3.75\n",
  });
  const unwritten = await play("report", after(read, second.reply, "Error: denied"));
  assert.match(unwritten.text, /I could not write report\.md\. Error: denied$/);
});

Deno.test("demo/script plays the current step of the conversation", async () => {
  const steps = [
    { say: "One.", call: [{ name: "a", arguments: { x: 1 } }, { name: "b" }] },
    { call: [{ name: "c", arguments: "{broken" }], usage: { input: 100, output: 7 } },
    { say: "End: {result}", stop: "length", cost_usd: 0.5 },
  ];
  const start = [task(steps), GO];
  const first = await play("script", start);
  assert.deepEqual([first.reply.message.content, first.reply.stop], ["One.", "tool_calls"]);
  assert.deepEqual(first.reply.message.toolCalls, [
    { id: "demo_2_1", name: "a", arguments: '{"x":1}' },
    { id: "demo_2_2", name: "b", arguments: "{}" },
  ]);
  const one = after(start, first.reply, "r1", "r2");
  const second = await play("script", one);
  const id = "demo_5_1";
  assert.deepEqual(second.reply.message.toolCalls, [{ id, name: "c", arguments: "{broken" }]);
  const expected = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 };
  assert.deepEqual(second.reply.usage, expected);
  const third = await play("script", after(one, second.reply, "Error: no {result}"));
  assert.deepEqual([third.text, third.reply.stop], ["End: Error: no {result}", "length"]);
  assert.equal(third.reply.reportedCostUsd, 0.5);
  await scriptFailure(
    [task(steps.slice(0, 1)), ...one.slice(1)],
    /^Cannot play demo\/script: the script has 1 step and was asked for step 2; add a step/,
  );
  const again = await play("script", [...after(one, third.reply), GO]);
  assert.equal(again.reply.message.content, "One.");
});

Deno.test("demo/script prefers the script of the user turn, and estimates tokens from the characters", async () => {
  const messages: Message[] = [
    task([{ say: "from the file" }]),
    { role: "user", content: 'Do:\r\n```demo\r\n[{ "say": "from the turn" }]\r\n```\r\n' },
  ];
  const { text, reply } = await play("script", messages);
  assert.equal(text, "from the turn");
  const characters = messages.map(({ content }) => content).join("").length;
  const found = [reply.usage?.inputTokens, reply.usage?.outputTokens, reply.reportedCostUsd];
  assert.deepEqual(found, [Math.ceil(characters / 4), Math.ceil(text.length / 4), null]);
});

Deno.test("demo/script repeats a text to any length in a few hundred deltas", async () => {
  const { reply, deltas } = await play("script", [
    task([{ say: "Start ", say_repeat: { text: "x", times: 900_000 } }]),
    GO,
  ]);
  assert.equal(reply.message.content, "Start " + "x".repeat(900_000));
  assert.ok(deltas.length <= 201, String(deltas.length));
});

Deno.test("demo/script waits by the clock and rethrows the reason of a cancel", async () => {
  const clock = new TestClock();
  const messages = [task([{ say: "late", delay_ms: 5_000 }]), GO];
  let done = false;
  const call = play("script", messages, clock).finally(() => done = true);
  await clock.advance(4_999);
  assert.equal(done, false);
  await clock.advance(1);
  assert.equal((await call).text, "late");

  const controller = new AbortController();
  const cancelled = collectReply(
    createModel({ name: "script", clock }),
    modelRequest({ messages }),
    { signal: controller.signal },
  );
  const reason = new Error("enough");
  const rejected = assert.rejects(cancelled, (error) => error === reason);
  await settle();
  controller.abort(reason);
  await rejected;
  assert.equal(clock.sleeping, 0);
});

Deno.test("demo/script returns the text of a failing step, then its error", async () => {
  for (const retryable of [true, false]) {
    const deltas: string[] = [];
    const model = createModel({ name: "script", clock: instantClock() });
    const call = collectReply(
      model,
      modelRequest({ messages: [task([{ say: "half", fail: "Out of order", retryable }]), GO] }),
      { onDelta: (delta) => deltas.push(delta.type === "text" ? delta.text : "") },
    );
    await assert.rejects(call, { name: "ModelError", message: "demo: Out of order", retryable });
    assert.deepEqual(deltas, ["half"]);
  }
});

Deno.test("demo/script names the problems of a script", async () => {
  const refusal = /Unknown model "demo\/gpt": the demo provider has report, script, echo/;
  assert.throws(() => createModel({ name: "gpt", clock: instantClock() }), refusal);
  await scriptFailure([GO], /is missing; write a ```demo block/);
  const content = "```demo\n[{]\n```";
  await scriptFailure([{ role: "user", content }], /is not JSON \(.+\); fix it/);
  await scriptFailure(
    [{ role: "user", content: "```demo\n[]\n```\n```demo\n[]\n```" }],
    /is in 2 ```demo blocks/,
  );
  const cases: [unknown, RegExp][] = [
    [{}, /the whole: Invalid input: expected array/],
    [[], /the whole: /],
    [[{ say: "a" }, { say: 1 }], /step 2\.say: Invalid input: expected string/],
    [[{ sya: "a" }], /step 1: Unrecognized key: "sya"/],
    [[{ delay_ms: 1 }], /step 1: a step needs say, say_repeat, call or fail/],
    [[{ call: [{ arguments: {} }] }], /step 1\.call\.0\.name: /],
    [[{ say: "a", usage: { input: -1, output: 1 } }], /step 1\.usage\.input: /],
  ];
  for (const [steps, expected] of cases) await scriptFailure([task(steps), GO], expected);
});
