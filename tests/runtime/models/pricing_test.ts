import assert from "node:assert/strict";
import { join } from "node:path";
import type { Usage } from "../../../runtime/models/model.ts";
import { familyNames, ModelPrices, type PricedModel } from "../../../runtime/models/pricing.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

interface World extends AsyncDisposable {
  prices: ModelPrices;
  log: LogLines;
  workspaceFile: string;
  configFile: string;
}

async function world(files: { workspace?: string; config?: string } = {}): Promise<World> {
  const directory = await Deno.makeTempDir();
  const workspaceFile = join(directory, "workspace.yaml");
  const configFile = join(directory, "config.yaml");
  if (files.workspace !== undefined) await Deno.writeTextFile(workspaceFile, files.workspace);
  if (files.config !== undefined) await Deno.writeTextFile(configFile, files.config);
  const log = new LogLines();
  return {
    workspaceFile,
    configFile,
    log,
    prices: new ModelPrices({ files: [workspaceFile, configFile], clock: new TestClock(), log }),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

function usage(input: number, output: number, read = 0, write = 0): Usage {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: read,
    cacheWriteTokens: write,
  };
}

function model(id: string, baseUrl?: string): PricedModel {
  const [provider = "", ...name] = id.split("/");
  return { provider, name: name.join("/"), ...(baseUrl === undefined ? {} : { baseUrl }) };
}

async function costs(
  prices: ModelPrices,
  id: string,
  counted: Usage | null,
  reportedCostUsd: number | null = null,
): Promise<number | null> {
  const cost = await prices.costOf(model(id), { usage: counted, reportedCostUsd });
  // Rounds the cost, because the order of additions changes the last binary digits.
  return cost === null ? null : Number(cost.toFixed(9));
}

Deno.test("ModelPrices.costOf() computes costs from the price table, with cached tokens", async () => {
  await using it = await world();
  // The comments below have the prices in dollars per million tokens: input, cache read, cache write, output.
  const cases: [string, Usage, number][] = [
    // gpt-4o: 2.50, 1.25, none, 10. The cost is 1,000 x 2.50 + 500 x 10.
    ["openai/gpt-4o", usage(1_000, 500), 0.0075],
    // 10,000 input tokens, of which 8,000 are cached: 2,000 x 2.50 + 8,000 x 1.25 + 100 x 10.
    ["openai/gpt-4o", usage(10_000, 100, 8_000), 0.016],
    ["openai/gpt-4o-2024-08-06", usage(10_000, 100, 8_000), 0.016],
    // claude-sonnet-4-5: 3, 0.30, 3.75, 15. The cost is 1,000 x 3 + 6,000 x 0.30 + 3,000 x 3.75 + 200 x 15.
    ["anthropic/claude-sonnet-4-5", usage(10_000, 200, 6_000, 3_000), 0.01905],
    ["anthropic/claude-sonnet-4-5-20250929", usage(10_000, 200, 6_000, 3_000), 0.01905],
    // gemini-2.5-flash: 0.30, 0.03, none, 2.50. The cost is 2,000 x 0.30 + 8,000 x 0.03 + 1,000 x 2.50.
    ["google/gemini-2.5-flash", usage(10_000, 1_000, 8_000), 0.00334],
  ];
  for (const [id, counted, expected] of cases) {
    assert.equal(await costs(it.prices, id, counted), expected, id);
  }
});

Deno.test("ModelPrices.costOf() prefers the endpoint's reported cost, and returns null without a price", async () => {
  await using it = await world({ workspace: "openai/gpt-4o-mini: {input: 1, output: 1}" });
  assert.equal(await costs(it.prices, "openai/gpt-4o-mini", usage(1_000_000, 0), 0.42), 0.42);
  assert.equal(await costs(it.prices, "mine/unknown", null, 0), 0);
  for (const id of ["mine/gpt-4o", "ollama/llama3", "openai/never-heard-of"]) {
    assert.equal(await costs(it.prices, id, usage(1_000, 1)), null, id);
  }
  assert.equal(await costs(it.prices, "openai/gpt-4o", null), null);
});

Deno.test("ModelPrices prefers the workspace's prices, then the config directory's, then the table's", async () => {
  await using it = await world({
    workspace: "openai/gpt-4o: {input: 1, output: 2}\nshared: {input: 3, output: 3}\n",
    config: "openai/gpt-4o: {input: 9, output: 9}\nmine/m:\n  input: 4\n  output: 8\n" +
      "  cache_read: 1\n  cache_write: 5\n",
  });
  const { prices } = it;
  assert.equal(await costs(prices, "openai/gpt-4o", usage(1_000_000, 1_000_000)), 3);
  assert.equal(await costs(prices, "anybody/shared", usage(1_000_000, 0)), 3);
  // The cost is 500,000 x 4 + 300,000 x 1 + 200,000 x 5 + 100,000 x 8.
  assert.equal(await costs(prices, "mine/m", usage(1_000_000, 100_000, 300_000, 200_000)), 4.1);
  // Cached tokens without their own price cost the same as input.
  assert.equal(await costs(prices, "openai/gpt-4o", usage(1_000_000, 0, 600_000, 400_000)), 1);
  assert.equal(await prices.hasPrice(model("mine/m")), true);
  assert.equal(await prices.hasPrice(model("mine/other")), false);
});

Deno.test("ModelPrices prefers a file's family price to the table, and corrects impossible counts", async () => {
  const config = "m: {input: 1, output: 1, cache_read: 0.5}";
  await using it = await world({ workspace: "gpt-4o: {input: 7, output: 0}", config });
  assert.equal(await costs(it.prices, "openai/gpt-4o-2024-08-06", usage(1_000_000, 0)), 7);
  assert.equal(await costs(it.prices, "mine/m", usage(1_000_000, 0, 3_000_000, 9)), 0.5);
});

Deno.test("ModelPrices.costOf() finds an unknown provider's prices by its address, at each call", async () => {
  await using it = await world();
  const counted = { usage: usage(1_000_000, 0), reportedCostUsd: null };
  for (let round = 0; round < 2; round++) {
    const known = model("mine/gpt-4o", "https://api.openai.com/v1");
    assert.equal(await it.prices.costOf(known, counted), 2.5);
    const unknown = model("mine/gpt-4o", "https://models.example/v1");
    assert.equal(await it.prices.costOf(unknown, counted), null);
    assert.equal(await it.prices.costOf(model("mine/gpt-4o"), counted), null);
  }
});

Deno.test("ModelPrices reports a path that is not a file once, and continues", async () => {
  await using it = await world();
  const { workspaceFile, configFile } = it;
  const told = async (): Promise<(string | undefined)[]> => {
    assert.equal(await costs(it.prices, "mine/m", usage(1, 1)), null);
    return it.prices.lists().flatMap(({ problems }) => problems).map(({ message }) => message);
  };
  await Deno.mkdir(workspaceFile);
  await new Deno.Command("mkfifo", { args: [configFile] }).output();
  const noFile = "The file cannot be read: it is not a file";
  for (let time = 0; time < 2; time++) assert.deepEqual(await told(), [noFile, noFile]);
  assert.deepEqual(it.log.lines.map(({ level }) => level), ["warn", "warn"]);
  await Deno.remove(workspaceFile);
  await Deno.symlink(workspaceFile, workspaceFile);
  assert.deepEqual(await told(), ["The file cannot be read: its links lead in a circle", noFile]);
});

Deno.test("familyNames() removes dates and `latest`, one ending after the other", () => {
  const cases: [string, string[]][] = [
    ["gpt-4o", []],
    ["gpt-4o-2024-08-06", ["gpt-4o"]],
    ["claude-x-20250929", ["claude-x"]],
    ["claude-x@20250929", ["claude-x"]],
    ["gemini-x-preview-09-2025", ["gemini-x-preview"]],
    ["gpt-4-0613", ["gpt-4"]],
    ["mistral-large-latest", ["mistral-large"]],
    ["llama3:latest", ["llama3"]],
    ["m-0613-latest", ["m-0613", "m"]],
    ["phi-4", []],
    ["o-9999", []],
    ["-latest", []],
  ];
  for (const [name, families] of cases) assert.deepEqual(familyNames(name), [name, ...families]);
});
