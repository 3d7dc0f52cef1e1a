// Tests runs with strict, small or unusual endpoints through the real provider package: the messages sent back, refused
// parameters, and calls written as text.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../../base/json.ts";
import { OpenAiServer, type OpenAiStep } from "../../../support/models/openai_server.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  toEnd,
} from "../../../support/test_workspace.ts";

async function openWorld(judge: (body: JsonObject) => OpenAiStep, settings = "") {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await createTestWorkspace());
  const server = stack.use(new OpenAiServer([], judge));
  const model = `model: { provider: local, name: m, base_url: "${server.url}" }`;
  await place.writeAgent("a", `---\n${model}\n${settings}\n---\nDo it.\n`);
  await Deno.writeTextFile(join(place.workspace, "n.txt"), "the content");
  const runtime = stack.use(await place.open());
  return { place, server, runtime, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Sent = {
  role: string;
  content: string;
  tool_calls?: JsonObject[];
  reasoning_content?: string;
}[];
const sentIn = (body: JsonObject) => body.messages as unknown as Sent;
const isAfterCall = (body: JsonObject) => sentIn(body).at(-1)?.role === "tool";
const reading = (path: string) => ({ name: "file_read", arguments: { path } });
const FILE_READ = reading("n.txt");
const refused = (message: string) => ({
  status: 400,
  body: JSON.stringify({ error: { message } }),
});
const delta = (fields: JsonObject) => ({ choices: [{ index: 0, delta: fields }] });

Deno.test("a run and its fork return a reply's provider data to the provider", async () => {
  const extra = { extra_content: { google: { thought_signature: "SIG-B" } } };
  await using world = await openWorld((body) => {
    const reply = sentIn(body).find((one) => one.tool_calls);
    if (reply === undefined) {
      const fragment = { index: 0, id: "c-1", type: "function", function: FILE_READ, ...extra };
      const text = JSON.stringify(FILE_READ.arguments);
      const chunks = [
        delta({ reasoning_content: "I need " }),
        delta({
          reasoning_content: "to look.",
          reasoning_details: [{ type: "t", index: 0, text: "A" }],
        }),
        delta({ reasoning_details: [{ type: "t", index: 0, text: "B", signature: "S" }] }),
        delta({ tool_calls: [{ ...fragment, function: { ...FILE_READ, arguments: text } }] }),
      ];
      return { text: "<think>Hm.</think>\n\nReading.", chunks, finish: "tool_calls" };
    }
    if (reply.reasoning_content !== "I need to look.") return refused("must be passed back");
    const { tool_calls: [sent] = [] } = reply;
    const isWhole = JSON.stringify(sent?.extra_content) === JSON.stringify(extra.extra_content);
    return isWhole ? { text: "<think>So.</think>Done." } : refused("missing a thought_signature");
  });
  const { runtime, server } = world;
  const ended = await runToEnd(runtime, "a");
  assert.deepEqual([ended.status, ended.error, ended.outputData], ["success", null, "Done."]);
  const { content, reasoning_details: details } = sentIn(server.request(1).body).at(
    -2,
  ) as unknown as JsonObject;
  assert.equal(content, "<think>Hm.</think>Reading.");
  assert.deepEqual(details, [{ type: "t", index: 0, text: "AB", signature: "S" }]);
  const shown = JSON.stringify(await payloadsOf(runtime, ended.id));
  assert.ok(!/think>|SIG-B/.test(shown), shown);
  const logged = await payloadsOf(runtime, ended.id);
  const thoughts = logged.flatMap((one, at) =>
    one["kind"] === "reasoning" ? [[one["content"], logged[at + 1]?.["event_type"]]] : []
  );
  assert.deepEqual(thoughts, [["Hm.", "tool_call"], ["So.", "ai"]]);
  const fork = await toEnd(runtime, (await runtime.replays.fork(ended.id, { step: 1 })).id);
  assert.equal(fork.outputData, "Done.");
  const ofFork = (await payloadsOf(runtime, fork.id)).filter(({ kind }) => kind === "reasoning");
  assert.deepEqual(ofFork.map(({ content }) => content), ["Hm.", "So."]);
  assert.deepEqual(
    (await runtime.replays.replay(ended.id, { withAllTools: false })).differences,
    [],
  );
  // Another model does not get the provider's data.
  const other = await toEnd(
    runtime,
    (await runtime.replays.fork(ended.id, { step: 1, model: "local/other" })).id,
  );
  assert.equal(other.status, "error");
  assert.ok(!JSON.stringify(server.requests.at(-1)?.body).includes("I need to look."));
});

const CALL = '{"name": "file_read", "arguments": {"path": "n.txt"}}';
const WRITE = '{"name": "file_write", "arguments": {"path": "x", "content": "y"}}';
const REQUEST = '{"tool":"http_request","arguments":{"url":"http://127.0.0.1:9/"}}';
const PARAMETER = "<function=file_read>\n<parameter=path>\nn.txt\n</parameter>\n</function>";
const WRITTEN: [text: string, status: "taken" | "asked" | "error" | "answer"][] = [
  [`<tool_call>\n${CALL}\n</tool_call>`, "taken"],
  [`<think>Hm.</think>\n<tool_call>${CALL}`, "taken"],
  ['```json\n{"tool":"file_read","arguments":{"path":"n.txt"}}\n```', "taken"],
  ['{"type":"function","function":{"name":"file_read","parameters":{"path":"n.txt"}}}', "taken"],
  [PARAMETER.replaceAll("\n", ""), "taken"],
  [`<tool_call>\n${PARAMETER}\n</tool_call>`, "taken"],
  ['<function=file_read>{"path":"n.txt"}</function>', "taken"],
  [`<tool_call>${WRITE}</tool_call>`, "asked"],
  [`\`\`\`json\n${REQUEST}\n\`\`\``, "asked"],
  [`<tool_call>${CALL.slice(0, -4)}`, "error"],
  ['<tool_call>{"name": "no_tool", "arguments": {}}</tool_call>', "error"],
  ['```json\n{"tool":"file_read","arguments":{"path":"n.txt"}\n```', "error"],
  ["<function=file_read><parameter=path>n.txt</function>", "error"],
  ['I would call <tool_call>{"name": "file_read", "arguments": {}}</tool_call>', "answer"],
  [`<tool_call>${CALL}</tool_call> reads it.`, "answer"],
  ["<tool_call> is the tag for calls.", "answer"],
  ['{"name": "Ada", "arguments": {"for": 1}}', "answer"],
  ['```json\n{"tool": "hammer"}\n```', "answer"],
];

Deno.test("a call written as text runs, waits for approval, is refused, or is the answer", async () => {
  let said = "";
  await using world = await openWorld(
    (body) => isAfterCall(body) ? { text: "Read." } : { text: said },
    'auto_approve: "*"\nhistory: off\non_pending: parallel',
  );
  const { runtime, server } = world;
  for (const [text, expected] of WRITTEN) {
    said = text;
    const { id, status, error, outputData } = await runToEnd(runtime, "a");
    const ending = { taken: "success", answer: "success", asked: "waiting", error: "error" };
    assert.equal(status, ending[expected], `${text}: ${error}`);
    if (expected === "asked") {
      const { message } = await runtime.pendingRequest(id);
      assert.match(message, /^Allow \w+\? The model wrote/, text);
    } else if (expected === "error") {
      assert.match(error ?? "", /wrote a tool call as text that cannot/, text);
    } else assert.equal(outputData, expected === "answer" ? text : "Read.", text);
    if (expected !== "taken") continue;
    assert.match(sentIn(server.requests.at(-1)?.body ?? {}).at(-1)?.content ?? "", /the content/);
    const { differences } = await runtime.replays.replay(id, { withAllTools: false });
    assert.deepEqual(differences, [], text);
  }
});

Deno.test("a reply that is only reasoning is an error, also after calls, and the log has it", async () => {
  await using world = await openWorld((body) =>
    isAfterCall(body) ? { text: "<think>I could say done." } : { toolCalls: [FILE_READ] }
  );
  const { id, status, error } = await runToEnd(world.runtime, "a");
  const sentence = "The model's reply is only reasoning: its <think> is never closed";
  assert.deepEqual([status, error], ["error", sentence]);
  const frames = await payloadsOf(world.runtime, id);
  const thoughts = frames.filter(({ kind }) => kind === "reasoning").map(({ content }) => content);
  assert.deepEqual(thoughts, ["I could say done."]);
  const { differences } = await world.runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual(differences, []);
});

Deno.test("an endpoint that does not stream is used, and logged once", async () => {
  const message = { role: "assistant", content: "Done." };
  const body = JSON.stringify({ choices: [{ message, finish_reason: "stop" }] });
  await using world = await openWorld(() => ({ body }));
  const { place, runtime, server } = world;
  const model = `model: { provider: local, name: other, base_url: "${server.url}" }`;
  await place.writeAgent("b", `---\n${model}\n---\nDo it.\n`);
  for (const agent of ["a", "a", "b"]) {
    assert.equal((await runToEnd(runtime, agent)).outputData, "Done.");
  }
  const lines = place.logged.filter((line) => JSON.stringify(line).includes("does not stream"));
  assert.equal(lines.length, 1);
  assert.ok(JSON.stringify(lines[0]).includes(server.url));
});

Deno.test("a refused parameter is logged with the agent, and the next run omits the parameter", async () => {
  await using world = await openWorld(({ temperature }) =>
    temperature === undefined ? { text: "ok" } : refused("temperature is not supported")
  );
  const { runtime, server } = world;
  for (const _run of [1, 2]) assert.equal((await runToEnd(runtime, "a")).status, "success");
  assert.equal(server.requests.length, 3);
  const { agent: { warnings } } = await runtime.getAgent("a");
  assert.match(warnings[0]?.message ?? "", /^Model local\/m: it refuses temperature/);
});

Deno.test("a call written as text is the answer if the model has made native calls", async () => {
  const [[text = ""] = []] = WRITTEN;
  await using world = await openWorld((body) =>
    isAfterCall(body) ? { text } : { toolCalls: [FILE_READ] }
  );
  assert.equal((await runToEnd(world.runtime, "a")).outputData, text);
});

Deno.test("a run that exceeds the context window continues, and the log lists the omissions", async () => {
  const answer = "word ".repeat(2_800);
  await using world = await openWorld(
    (body) =>
      JSON.stringify(body.messages).length > 60_000
        ? {
          status: 400,
          body: JSON.stringify({ error: { message: "No.", code: "context_length_exceeded" } }),
        }
        : JSON.stringify(body.messages).includes("big.txt") && !isAfterCall(body)
        ? { toolCalls: [reading("big.txt")] }
        : { text: answer },
    "history: high",
  );
  const { runtime, place } = world;
  for (let run = 1; run <= 7; run++) {
    const { status, error } = await runToEnd(runtime, "a");
    assert.equal(status, "success", `run ${run}: ${error}`);
  }
  await Deno.writeTextFile(join(place.workspace, "big.txt"), `${"x".repeat(199)}\n`.repeat(450));
  const ended = await runToEnd(runtime, "a", { message: "Read big.txt and sum it up." });
  assert.equal(ended.status, "success", ended.error ?? "");
  const shown = JSON.stringify(await payloadsOf(runtime, ended.id));
  assert.match(shown, /too long for the model's context window \(.*earlier turns left out: \d+/);
  assert.deepEqual(
    (await runtime.replays.replay(ended.id, { withAllTools: false })).differences,
    [],
  );
});
