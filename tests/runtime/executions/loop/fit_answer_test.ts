// Tests answers of agents with an output schema.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../../../base/json.ts";
import { toJsonText } from "../../../../runtime/executions/loop/fit_answer.ts";
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
  /** The messages that ask the model to repair its answer. */
  repairs: string[];
  replies: number;
}

/**
 * Opens a service. Returns the service and a function that runs a new agent with the given schema and replies until the run
 * ends.
 */
async function openAnswers({ clock }: { clock?: TestClock } = {}) {
  await using resources = new AsyncDisposableStack();
  // The process that checks answers must use the test's Deno cache, and ignore the workspace's DENO_DIR.
  const place = resources.use(await createTestWorkspace({ shell: { DENO_DIR: "/nowhere" } }));
  const runtime = resources.use(await place.open(clock && { clock }));
  let count = 0;
  const answered = async (steps: (string | JsonObject)[], settings = OUTPUT): Promise<Ended> => {
    const agent = `typed${++count}`;
    const script = steps.map((one) => typeof one === "string" ? { say: one } : one);
    await place.writeScript(agent, script, settings);
    const { id, status, error, outputData: output } = await runToEnd(runtime, agent);
    const frames = await payloadsOf(runtime, id);
    const contentsOf = (type: string) =>
      frames.filter((one) => one["event_type"] === type).map((one) => String(one["content"]));
    assert.deepEqual(contentsOf("final_answer"), output === null ? [] : [output]);
    const replies =
      frames.filter((one) => one["event_type"] === "ai" || one["event_type"] === "tool_call")
        .length;
    return { status, error, output, repairs: contentsOf("meta"), replies };
  };
  const owned = resources.move();
  return { place, runtime, answered, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

Deno.test("the model gets one chance to repair an answer that does not fit the schema", async () => {
  await using on = await openAnswers();
  const { place, runtime, answered } = on;
  const cases = [GOOD, `\n ${GOOD}\n`, `\`\`\`json\n${GOOD}\n\`\`\``, `\`\`\`\n${GOOD}\n\`\`\``];
  for (const said of cases) {
    const { status, output, repairs } = await answered([said]);
    assert.deepEqual([status, output, repairs], ["success", GOOD, []]);
  }
  assert.equal(toJsonText("```JSON\r\n[1]\r\n```"), "[1]");
  assert.equal(toJsonText("Here: ```json\n[1]\n```"), "Here: ```json\n[1]\n```");

  // The repair request contains the position and the reason of the fault.
  const misfits: [said: string, reason: RegExp][] = [
    ["The price is 1.5.", /- it is not JSON \(character 1: /],
    ['{"items":[{"price":1', /- it is not JSON \(character 21: the text ends too early\)/],
    [WRONG, /- \/items\/0\/price must be number\n/],
    ['{"items":[{}]}', /- \/items\/0\/price is missing\n/],
    ["[]", /- the whole answer must be object\n/],
    [`${GOOD} I hope this helps.`, /something follows the end/],
  ];
  for (const [said, reason] of misfits) {
    const { status, output, repairs, replies } = await answered([said, GOOD]);
    assert.deepEqual([status, output, replies], ["success", GOOD, 2]);
    assert.equal(repairs.length, 1);
    assert.match(repairs[0] ?? "", reason);
    assert.ok(repairs[0]?.includes(JSON.stringify(SCHEMA)));
  }

  // After a second wrong answer, there is no further repair request.
  const wrongTwice: [said: string, error: string][] = [
    [WRONG, "/items/0/price must be number"],
    ['{"items":[{},{}]}', "/items/0/price is missing (and 1 more)"],
    ["Sorry.", "it is not JSON (character 1: a value is expected)"],
  ];
  for (const [said, error] of wrongTwice) {
    const ended = await answered([WRONG, said, GOOD]);
    const found = [ended.status, ended.error, ended.output, ended.replies, ended.repairs.length];
    assert.deepEqual(found, ["error", MISFIT + error, null, 2, 1]);
  }

  const closed =
    "output: { schema: { type: object, properties: {}, additionalProperties: false } }";
  const odd = JSON.stringify({ "a\u001b[31m\nb": 1 });
  const { error: told } = await answered([odd, odd], closed);
  assert.ok(told?.startsWith(MISFIT));
  // deno-lint-ignore no-control-regex -- exactly these control characters must be removed
  assert.doesNotMatch(told ?? "", /[\u0000-\u001f]/);

  const glob = { call: [{ name: "file_glob", arguments: { pattern: "*" } }] };
  const calling = await answered([glob, WRONG, glob, GOOD]);
  assert.deepEqual([calling.status, calling.output, calling.replies], ["success", GOOD, 4]);
  const silent = await answered([glob, "", GOOD]);
  assert.deepEqual([silent.status, silent.output], ["success", GOOD]);
  assert.match(silent.repairs[0] ?? "", /- it is empty\n/);

  const cut = await answered([{ say: '{"items":[', stop: "length" }]);
  assert.equal(cut.status, "aborted");
  assert.match(cut.error ?? "", /^Aborted: max_tokens/);
  assert.equal(cut.output, '{"items":[');
  const refused = await answered([{ say: "No.", stop: "refusal" }]);
  assert.equal(refused.error, "The model refused to answer: No.");
  assert.deepEqual([...cut.repairs, ...refused.repairs], []);

  const usage = { input: 90, output: 20 };
  const limit = `${OUTPUT}\nsettings: { max_execution_tokens: 100 }`;
  const limited = await answered([{ say: WRONG, usage }, GOOD], limit);
  assert.deepEqual([limited.status, limited.repairs], ["aborted", []]);
  assert.equal(limited.error, "Aborted: max_execution_tokens (110 tokens, limit 100)");
  const lucky = await answered([{ say: GOOD, usage }], limit);
  assert.equal(lucky.status, "success");

  const file = join(place.workspace, "answer.json");
  await Deno.writeTextFile(file, JSON.stringify(SCHEMA));
  const fromFile = "output: { schema: answer.json }";
  await place.writeScript("typed", [{ say: WRONG }, { say: GOOD }], fromFile);
  assert.equal((await runToEnd(runtime, "typed")).outputData, GOOD);
  await Deno.writeTextFile(file, "{");
  const { status: broken, error: unusable, totalTokens } = await runToEnd(runtime, "typed");
  assert.deepEqual([broken, totalTokens], ["error", null]);
  assert.equal(unusable, `output.schema cannot be used: ${file} is not JSON`);
  const { problems } = await runtime.planRun("typed", { withMessages: false });
  assert.deepEqual(problems, [unusable]);

  await place.writeScript("typed", [{ say: WRONG }, { say: GOOD }], `${OUTPUT}\nhistory: high`);
  for (const _ of [1, 2, 3]) assert.equal((await runToEnd(runtime, "typed")).outputData, GOOD);
});

Deno.test("a separate process checks answers, so an endless pattern does not stop the service", async () => {
  const whole = {
    $defs: { code: { type: "string", pattern: "^[A-Z]{3}$" } },
    type: "object",
    properties: { code: { $ref: "#/$defs/code" } },
  };
  const clock = new TestClock();
  await using on = await openAnswers({ clock });
  const { answered } = on;
  const settings = `output: { schema: ${JSON.stringify(whole)} }`;
  const fits = await answered(['{"code":"ABC"}'], settings);
  assert.deepEqual([fits.status, fits.output], ["success", '{"code":"ABC"}']);
  const never = await answered(['{"code":"x"}', '{"code":"y"}'], settings);
  assert.equal(never.error, `${MISFIT}/code does not fit: String does not match pattern`);

  const slow = { type: "string", pattern: "^(a+)+$" };
  const said = JSON.stringify(`${"a".repeat(40)}!`);
  let isOver = false;
  const ending = answered([said, '"aaa"'], `output: { schema: ${JSON.stringify(slow)} }`)
    .finally(() => isOver = true);
  await until(() => clock.awaits(5_000) || isOver, "the check");
  await clock.advance(5_000);
  const { status, output, repairs } = await ending;
  assert.deepEqual([status, output], ["success", '"aaa"']);
  assert.match(repairs[0] ?? "", /cannot be checked: .* took longer than 5 s: a pattern/);
});

const CASES = [
  ["killed after it stored the repair request does not ask again", true, "error"],
  ["killed before it stored the repair request asks", false, "success"],
] as const;
for (const [what, isStored, outcome] of CASES) {
  Deno.test(`a run that was ${what}`, async () => {
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
