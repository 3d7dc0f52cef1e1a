// Answers that have to fit the schema of their agent's file.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../../base/json.ts";
import { toJsonText } from "../../../../runtime/executions/loop/fit_answer.ts";
import { ADAPTERS, KEY } from "../../../support/models/model_adapters.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import { toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { stopAtModel } from "../executions_of.ts";

const SCHEMA = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
    },
  },
  required: ["items"],
};
const OUTPUT = `output: { schema: ${JSON.stringify(SCHEMA)} }`;
const GOOD = '{"items":[{"price":1.5}]}';
const WRONG = '{"items":[{"price":"1.5"}]}';
const MISFIT = "The answer does not fit output.schema: ";

interface Ended {
  status: string;
  error: string | null;
  output: string | null;
  /** Texts that asked for the answer once more. */
  repairs: string[];
  replies: number;
}

/** Runs an agent with the schema that says all this. */
async function answered(
  steps: (string | JsonObject)[],
  settings = OUTPUT,
  { clock, meanwhile }: {
    clock?: TestClock;
    meanwhile?: (isOver: () => boolean) => Promise<void>;
  } = {},
): Promise<Ended> {
  // The process that checks uses the cache that Deno has for this one, whatever the workspace's variables say.
  await using place = await createTestWorkspace({ shell: { DENO_DIR: "/nowhere" } });
  const script = steps.map((one) => typeof one === "string" ? { say: one } : one);
  await place.writeScript("typed", script, settings);
  await using runtime = await place.open(clock && { clock });
  let isOver = false;
  const ending = runToEnd(runtime, "typed").finally(() => isOver = true);
  await meanwhile?.(() => isOver);
  const { id, status, error, outputData } = await ending;
  const frames = await payloadsOf(runtime, id);
  const final = frames.find((one) => one["event_type"] === "final_answer")?.["content"] ?? null;
  assert.equal(final, outputData);
  return {
    status,
    error,
    output: outputData,
    repairs: frames.filter((one) => one["event_type"] === "meta")
      .map((one) => String(one["content"])),
    replies: frames.filter(({ event_type: type }) => type === "ai" || type === "tool_call").length,
  };
}

Deno.test("an answer that fits is the output as the model gave it, without fence and blank edges", async () => {
  const cases = [GOOD, `\n ${GOOD}\n`, `\`\`\`json\n${GOOD}\n\`\`\``, `\`\`\`\n${GOOD}\n\`\`\``];
  for (const said of cases) {
    const { status, output, repairs } = await answered([said]);
    assert.deepEqual([status, output, repairs], ["success", GOOD, []]);
  }
  assert.equal(toJsonText("```JSON\r\n[1]\r\n```"), "[1]");
  assert.equal(toJsonText("Here: ```json\n[1]\n```"), "Here: ```json\n[1]\n```");
});

Deno.test("prose, cut JSON and wrong types are asked for once more, with place and reason, and may fit then", async () => {
  const cases: [said: string, reason: RegExp][] = [
    ["The price is 1.5.", /- it is not JSON \(character 1: /],
    ['{"items":[{"price":1', /- it is not JSON \(character 21: the text ends too early\)/],
    [WRONG, /- \/items\/0\/price must be number\n/],
    ['{"items":[{}]}', /- \/items\/0\/price is missing\n/],
    ["[]", /- the whole answer must be object\n/],
    [`${GOOD} I hope this helps.`, /something follows the end/],
  ];
  for (const [said, reason] of cases) {
    const { status, output, repairs, replies } = await answered([said, GOOD]);
    assert.deepEqual([status, output, replies], ["success", GOOD, 2]);
    assert.equal(repairs.length, 1);
    assert.match(repairs[0] ?? "", reason);
    assert.ok(repairs[0]?.includes(JSON.stringify(SCHEMA)));
  }
});

Deno.test("an answer that does not fit twice ends the run with the place, and is asked for no third time", async () => {
  const cases: [said: string, error: string][] = [
    [WRONG, "/items/0/price must be number"],
    ['{"items":[{},{}]}', "/items/0/price is missing (and 1 more)"],
    ["Sorry.", "it is not JSON (character 1: a value is expected)"],
  ];
  for (const [said, error] of cases) {
    const ended = await answered([WRONG, said, GOOD]);
    const found = [ended.status, ended.error, ended.output, ended.replies, ended.repairs.length];
    assert.deepEqual(found, ["error", MISFIT + error, null, 2, 1]);
  }
});

Deno.test("names that a model made up reach the error as one plain line", async () => {
  const closed =
    "output: { schema: { type: object, properties: {}, additionalProperties: false } }";
  const said = JSON.stringify({ "a\u001b[31m\nb": 1 });
  const { error } = await answered([said, said], closed);
  assert.ok(error?.startsWith(MISFIT));
  // deno-lint-ignore no-control-regex -- just these must be gone
  assert.doesNotMatch(error ?? "", /[\u0000-\u001f]/);
});

Deno.test("tools are called although there is a schema, also before the answer is mended", async () => {
  const glob = { call: [{ name: "file_glob", arguments: { pattern: "*" } }] };
  const { status, output, replies } = await answered([glob, WRONG, glob, GOOD]);
  assert.deepEqual([status, output, replies], ["success", GOOD, 4]);
  const silent = await answered([glob, "", GOOD]);
  assert.deepEqual([silent.status, silent.output], ["success", GOOD]);
  assert.match(silent.repairs[0] ?? "", /- it is empty\n/);
});

Deno.test("a reply cut at max_tokens and a refusal keep their rule", async () => {
  const cut = await answered([{ say: '{"items":[', stop: "length" }]);
  assert.equal(cut.status, "aborted");
  assert.match(cut.error ?? "", /^Aborted: max_tokens/);
  assert.equal(cut.output, '{"items":[');
  const refused = await answered([{ say: "No.", stop: "refusal" }]);
  assert.equal(refused.error, "The model refused to answer: No.");
  assert.deepEqual([...cut.repairs, ...refused.repairs], []);
});

Deno.test("a repair counts in the limits: none is begun once one is crossed", async () => {
  const usage = { input: 90, output: 20 };
  const limit = `${OUTPUT}\nsettings: { max_execution_tokens: 100 }`;
  const { status, error, repairs } = await answered([{ say: WRONG, usage }, GOOD], limit);
  assert.deepEqual([status, repairs], ["aborted", []]);
  assert.equal(error, "Aborted: max_execution_tokens (110 tokens, limit 100)");
  const lucky = await answered([{ say: GOOD, usage }], limit);
  assert.equal(lucky.status, "success");
});

Deno.test("what the whole schema says is checked in a process of its own", async () => {
  const whole = {
    $defs: { code: { type: "string", pattern: "^[A-Z]{3}$" } },
    type: "object",
    properties: { code: { $ref: "#/$defs/code" } },
  };
  const settings = `output: { schema: ${JSON.stringify(whole)} }`;
  const clock = new TestClock();
  const fits = await answered(['{"code":"ABC"}'], settings, { clock });
  assert.deepEqual([fits.status, fits.output], ["success", '{"code":"ABC"}']);
  const never = await answered(['{"code":"x"}', '{"code":"y"}'], settings, { clock });
  assert.equal(never.error, `${MISFIT}/code does not fit: String does not match pattern`);
});

Deno.test("a pattern that takes for ever ends the check, not the service", async () => {
  const slow = { type: "string", pattern: "^(a+)+$" };
  const said = JSON.stringify(`${"a".repeat(40)}!`);
  const settings = `output: { schema: ${JSON.stringify(slow)} }`;
  const clock = new TestClock();
  const { status, output, repairs } = await answered([said, '"aaa"'], settings, {
    clock,
    async meanwhile(isOver) {
      await until(() => clock.awaits(5_000) || isOver(), "the check");
      await clock.advance(5_000);
    },
  });
  assert.deepEqual([status, output], ["success", '"aaa"']);
  assert.match(repairs[0] ?? "", /cannot be checked: .* took longer than 5 s: a pattern/);
});

Deno.test("the schema may stand in a file; one that is broken by then ends the run before the model is asked", async () => {
  await using place = await createTestWorkspace();
  const file = join(place.workspace, "answer.json");
  await Deno.writeTextFile(file, JSON.stringify(SCHEMA));
  const output = "output: { schema: answer.json }";
  await place.writeScript("typed", [{ say: WRONG }, { say: GOOD }], output);
  await using runtime = await place.open();
  assert.equal((await runToEnd(runtime, "typed")).outputData, GOOD);
  await Deno.writeTextFile(file, "{");
  const { status, error, totalTokens } = await runToEnd(runtime, "typed");
  assert.deepEqual([status, totalTokens], ["error", null]);
  assert.equal(error, `output.schema cannot be used: ${file} is not JSON`);
  const { problems } = await runtime.planRun("typed", { withMessages: false });
  assert.deepEqual(problems, [error]);
});

const CASES = [
  ["left between an answer that does not fit and its repair is mended", true, "error"],
  ["killed before its repair was stored asks for it", false, "success"],
] as const;
for (const [what, isStored, outcome] of CASES) {
  Deno.test(`a run that was ${what} once`, async () => {
    await using place = await createTestWorkspace();
    const repaired = { say: isStored ? WRONG : GOOD, delay_ms: 5_000 };
    const steps = [{ say: WRONG }, repaired, { say: GOOD }];
    await place.writeScript("typed", steps, `${OUTPUT}\non_restart: resume`);
    const clock = new TestClock();
    const id = await stopAtModel(place, "typed", { clock, ms: 5_000 });
    if (!isStored) {
      await place.run("DELETE FROM messages WHERE body LIKE '%\"repair\"%'");
      await place.run("DELETE FROM frames WHERE event = 'meta'");
    }
    await using runtime = await place.open({ clock });
    await until(() => clock.awaits(5_000), "the repair again");
    await clock.advance(5_000);
    const { status, error, outputData } = await toEnd(runtime, id);
    assert.equal(status, outcome);
    if (isStored) assert.equal(error, `${MISFIT}/items/0/price must be number`);
    else assert.equal(outputData, GOOD);
    const frames = await payloadsOf(runtime, id);
    assert.equal(frames.filter((one) => one["event_type"] === "meta").length, 1);
  });
}

Deno.test("a run of the same conversation may mend its own answer, whatever an earlier one did", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("typed", [{ say: WRONG }, { say: GOOD }], `${OUTPUT}\nhistory: high`);
  await using runtime = await place.open();
  for (const _ of [1, 2, 3]) assert.equal((await runToEnd(runtime, "typed")).outputData, GOOD);
});

Deno.test("a follower reads places of the answer, a caller its text, both without the fence", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("typed", [{ say: `\`\`\`json\n${GOOD}\n\`\`\`` }], OUTPUT);
  const calling = { name: "run_agent", arguments: { agent_id: "typed", arguments: "Now." } };
  const steps = [{ call: [calling] }, { say: "Called." }];
  await place.writeScript("caller", steps, "agents: [typed]\nauto_approve: '*'");
  await place.writeAgent(
    "follower",
    "---\nmodel: { provider: demo, name: echo }\nafter: typed\n" +
      'trigger: { input: "It costs {field:/items/0/price}." }\n---\nSay it.\n',
  );
  await using runtime = await place.open();
  await runToEnd(runtime, "typed");
  const runs = () => runtime.listRuns("follower", { limit: 1, offset: 0 });
  await until(async () => (await runs())[0]?.status === "success", "the follower");
  const followed = await payloadsOf(runtime, (await runs())[0]?.id ?? 0);
  assert.ok(JSON.stringify(followed).includes("It costs 1.5."));
  const called = await payloadsOf(runtime, (await runToEnd(runtime, "caller")).id);
  const result = called.find((one) => one["event_type"] === "tool_result");
  const { output } = JSON.parse(String(result?.["content"])) as { output: string };
  assert.equal(output, GOOD);
});

for (const adapter of ADAPTERS) {
  Deno.test(`${adapter.provider} answers in prose, is asked once more, and fits`, async () => {
    const fenced = ["```json\n", GOOD, "\n```"];
    await using server = adapter.serve([{ text: "It costs 1.5." }, { text: fenced }]);
    const shell = { MY_KEY: KEY, ...(adapter.provider === "mine" && { MINE_API_KEY: KEY }) };
    await using place = await createTestWorkspace({ shell });
    const model = `{ provider: ${adapter.provider}, name: m, base_url: "${server.origin}", ` +
      "api_key_env: MY_KEY }";
    await place.writeAgent("typed", `---\nmodel: ${model}\n${OUTPUT}\n---\nTell the price.\n`);
    await using runtime = await place.open();
    const { status, error, outputData } = await runToEnd(runtime, "typed");
    assert.deepEqual([status, error, outputData], ["success", null, GOOD]);
    const sentOf = (index: number) => JSON.stringify(server.request(index).body);
    assert.match(sentOf(0), /\\?"price\\?":\{\\?"type\\?":\\?"number/);
    assert.match(sentOf(1), /Your answer does not fit the JSON Schema/);
    assert.match(sentOf(1), /It costs 1\.5\./);
    server.assertDone();
  });
}
