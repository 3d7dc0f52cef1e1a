import assert from "node:assert/strict";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";
import { writeConfig } from "./executions_of.ts";

const LOOK = [{ name: "file_glob", arguments: { pattern: "*" } }];
const UNPRICED = "max_cost_usd does not hold";

async function statsOf(runtime: Runtime, id: number): Promise<Record<string, unknown>[]> {
  return (await payloadsOf(runtime, id)).filter((one) => one["event_type"] === "stats");
}

/** Returns the lines of the service log about missing prices. */
function warningsIn(place: TestWorkspace): string[] {
  return place.logged.map(({ message }) => message).filter((line) => line.includes(UNPRICED));
}

Deno.test("runLoop() aborts at max_cost_usd before calls run, but accepts an answer over the limit", async () => {
  await using place = await createTestWorkspace();
  const limit = "settings: { max_cost_usd: 0.03 }";
  const look = { call: LOOK, cost_usd: 0.02 };
  await place.writeScript("spender", [look, look, { say: "never" }], limit);
  await place.writeScript("answer", [look, { say: "Done.", cost_usd: 0.02 }], limit);
  await using runtime = await place.open();
  const spender = await runToEnd(runtime, "spender");
  const expected = ["aborted", "Aborted: max_cost_usd ($0.0400, limit $0.03)", 0.04];
  assert.deepEqual([spender.status, spender.error, spender.costUsd], expected);
  const stats = await statsOf(runtime, spender.id);
  assert.deepEqual(stats.map((one) => one["cost_usd"]), [0.02, 0.04]);
  const frames = await payloadsOf(runtime, spender.id);
  assert.equal(frames.filter((one) => one["event_type"] === "tool_result").length, 1);
  const answer = await runToEnd(runtime, "answer");
  assert.deepEqual([answer.status, answer.outputData, answer.costUsd], ["success", "Done.", 0.04]);

  const looking = (cost_usd: number) => ({ call: LOOK, cost_usd });
  await place.writeScript("adding", [looking(0.1), looking(0.2), { say: "Done.", cost_usd: 0.7 }]);
  await place.writeScript("free", [{ say: "Done." }]);
  const { id: adding, costUsd: sum } = await runToEnd(runtime, "adding");
  assert.equal(sum, 1);
  const sums = await statsOf(runtime, adding);
  assert.deepEqual(sums.map((one) => one["cost_usd"]), [0.1, 0.3, 1]);
  assert.equal((await runToEnd(runtime, "free")).costUsd, 0);

  await writeConfig(place, "pricing.yaml", "demo/script: { input: 1000, output: 2000 }\n");
  const usage = { input: 10, output: 5 };
  await place.writeScript("priced", [{ call: LOOK, usage }, { say: "Done.", usage }]);
  const { id, costUsd } = await runToEnd(runtime, "priced");
  // Each reply costs 10 x 0.001 + 5 x 0.002 dollars.
  assert.equal(costUsd, 0.04);
  const priced = await statsOf(runtime, id);
  const figures = priced.map((one) => [one["input_tokens"], one["total_tokens"], one["cost_usd"]]);
  assert.deepEqual(figures, [[10, 15, 0.02], [20, 30, 0.04]]);
});

Deno.test("runLoop() warns once if max_cost_usd has no effect without a price or token counts", async () => {
  const looking = { toolCalls: LOOK };
  const steps = [looking, looking, { text: "Done." }];
  await using server = new OpenAiServer([...steps, ...steps]);
  await using place = await createTestWorkspace({ shell: { ELSEWHERE_API_KEY: "key-0123456789" } });
  const model = `model: { provider: elsewhere, name: own, base_url: "${server.url}" }`;
  const limit = "settings: { max_cost_usd: 0.01 }";
  await place.writeAgent("limited", `---\n${model}\n${limit}\n---\nWork.\n`);
  await place.writeAgent("free", `---\n${model}\n---\nWork.\n`);
  await using runtime = await place.open();
  const free = await runToEnd(runtime, "free");
  assert.deepEqual([free.status, free.costUsd, warningsIn(place)], ["success", null, []]);
  const limited = await runToEnd(runtime, "limited");
  assert.deepEqual([limited.status, limited.costUsd], ["success", null]);
  const warning = `No price is known for elsewhere/own: ${UNPRICED}`;
  assert.deepEqual(warningsIn(place), [warning]);
  const stats = await statsOf(runtime, limited.id);
  assert.deepEqual(stats.map((one) => one["warning"]), [warning, undefined, undefined]);

  await using silent = new OpenAiServer([{ text: "Done.", usage: null }]);
  await place.writeAgent(
    "counted",
    `---\nmodel: { provider: elsewhere, name: gpt-4o, base_url: "${silent.url}", stream_usage: false }\n` +
      "settings: { max_cost_usd: 1 }\n---\nWork.\n",
  );
  const { status: countedStatus, totalTokens, costUsd: unknown } = await runToEnd(
    runtime,
    "counted",
  );
  assert.deepEqual([countedStatus, totalTokens, unknown], ["success", null, null]);
  assert.deepEqual(warningsIn(place).slice(1), [
    `elsewhere/gpt-4o reports no token counts: ${UNPRICED}`,
  ]);
  assert.equal(silent.request(0).body["stream_options"], undefined);
});
