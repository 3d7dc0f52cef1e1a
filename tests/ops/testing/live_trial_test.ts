// Tests of live trials with Inkling's demo models in place of real ones. Tools stay scripted.
import assert from "node:assert/strict";
import { createTestedWorkspace } from "./tested_workspace.ts";

const call = (name: string, args: unknown) => ({ call: [{ name, arguments: args }] });

Deno.test("a live trial plays each case with each model the requested number of times", async () => {
  await using world = await createTestedWorkspace();
  const { workspace, tests } = world;
  await workspace.writeScript("worker", [
    call("http_request", { method: "GET", url: "https://example.com/" }),
    call("file_write", { path: "out.md", content: "x" }),
    { say: "It is {result}" },
  ]);
  const fixtures = 'version: 1\ntools: { http_request: "sunny" }\nreplies:\n' +
    '  - calls: [{ tool: http_request, args: { url: "https://example.com/" } }]\n' +
    "    input_tokens: 10\n    output_tokens: 5\n" +
    "  - calls: [{ tool: file_write, answers: [{ approved: true }] }]\n";
  const text = `${fixtures}expect: { files: { out.md: { equals: x } } }\n`;
  await world.write("worker/right.yaml", text);
  await world.write("worker/wrong.yaml", `${fixtures}expect: { output: { equals: rainy } }\n`);
  await world.write("worker/broken.yaml", "version: 2\n");
  await using trial = await tests.openTrial({ models: [], repeat: 3 });
  assert.deepEqual(trial.estimate, { runs: 6, votes: 0, costUsd: 0, unknown: 0 });
  assert.deepEqual(trial.unplayable.map(({ name }) => name), ["worker/broken"]);
  const rows = await trial.run();
  assert.deepEqual(
    rows.map(({ name, model, passed, runs, costUsd }) => [name, model, passed, runs, costUsd]),
    [["worker/right", "demo/script", 3, 3, 0], ["worker/wrong", "demo/script", 0, 3, 0]],
  );
  const expected = [undefined, ["output.equals"]];
  assert.deepEqual(rows.map(({ failure }) => failure?.failures.map(({ what }) => what)), expected);
});

Deno.test("a live trial reports an unknown cost", async () => {
  await using world = await createTestedWorkspace();
  await world.agent("worker");
  await world.write("worker/a.yaml", "version: 1\nreplies: [{ text: hi }]\n");
  const content = "version: 1\nreplies: [{ text: hi, input_tokens: 1000000, output_tokens: 0 }]\n";
  await world.write("worker/b.yaml", content);
  const models = ["openai/gpt-4o", "local/none"];
  await using trial = await world.tests.openTrial({ models, repeat: 2 });
  const { estimate } = trial;
  assert.equal(estimate.runs, 8);
  // Only the tokens of case b and the price of gpt-4o are known.
  assert.equal(estimate.unknown, 6);
  assert.ok(estimate.costUsd > 0);
  // Without a key, each run fails with an error that names the key's variable.
  await using keyless = await world.tests.openTrial({ models: ["openai/gpt-5"], repeat: 1 });
  const [row] = await keyless.run();
  assert.equal(row?.passed, 0);
  assert.match(row?.failure?.failures[0]?.got ?? "", /^error: .*OPENAI_API_KEY/);
  const refusal = /is no model: write provider\/name/;
  await assert.rejects(world.tests.openTrial({ models: ["openai/"], repeat: 1 }), refusal);
});
