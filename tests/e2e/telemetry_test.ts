// Tests of the real service's telemetry with a collector.
import assert from "node:assert/strict";
import { join } from "node:path";
import { inspect } from "node:util";
import { OpenAiServer } from "../support/models/openai_server.ts";
import { IS_POSTGRES } from "../support/test_database.ts";
import { OtlpCollector } from "../support/machine/otlp_collector.ts";
import { createRealHome, type RealHome, untilFound } from "./real_process.ts";

const KEY = "sk-distinctive-0123456789-abcdef";
/** Words in the texts of each source, such as a prompt. Telemetry may contain none of them. */
const WORDS = {
  prompt: "quetzal-in-the-prompt",
  argument: "narwhal-in-an-argument",
  address: "okapi-in-an-address",
  result: "axolotl-in-a-result",
  answer: "pangolin-in-an-answer",
  message: "tapir-in-a-message",
};

/** Starts a service, runs an agent to its end, and stops the service. */
async function runOnce(home: RealHome, agent: string) {
  const service = await home.spawn(["start", "--keep-alive"]);
  using client = home.client();
  const shown = service.output();
  await untilFound("the service", () => client.info().catch(() => undefined));
  const { execution_id } = await client.run(agent, { message: WORDS.message });
  const execution = await untilFound("the end", async () => {
    const one = await client.execution(execution_id);
    return one.status === "running" ? undefined : one;
  });
  await client.shutdown();
  const { stdout, stderr } = await shown;
  const text = new TextDecoder();
  return { execution, shown: text.decode(stdout) + text.decode(stderr) };
}

async function writeAgents(home: RealHome, pages: URL, model: OpenAiServer): Promise<void> {
  pages.searchParams.set("token", WORDS.address);
  await Deno.mkdir(join(home.agentsDir, "_config"));
  await Deno.writeTextFile(join(home.agentsDir, "_config", ".env"), `ELSEWHERE_API_KEY=${KEY}\n`);
  await Deno.writeTextFile(join(home.workspace, "notes.md"), WORDS.result);
  await home.writeScript(
    "lead",
    [
      { call: [{ name: "http_request", arguments: { url: pages.href } }], cost_usd: 0.25 },
      { call: [{ name: "run_agent", arguments: { agent_id: "helper" } }] },
      { say: WORDS.answer, usage: { input: 70, output: 7 } },
    ],
    `name: The Lead\nagents: [helper]`,
  );
  await home.writeAgent(
    "helper",
    `---\nmodel: { provider: elsewhere, name: tiny, base_url: "${model.url}" }\n---\n` +
      `Say ${WORDS.prompt}.\n`,
  );
}

Deno.test("telemetry contains the spans of a run and no texts or secrets", async () => {
  await using collector = new OtlpCollector();
  await using pages = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(WORDS.result),
  );
  await using model = new OpenAiServer([
    {
      toolCalls: [
        { id: "call_a", name: "file_read", arguments: { path: "notes.md" } },
        { id: "call_b", name: "file_read", arguments: { path: `${WORDS.argument}.md` } },
      ],
    },
    { text: `${WORDS.answer} ${KEY}` },
  ]);
  // The variables are in the shell's environment, so that other commands export, too. The short interval exports metrics
  // during the stop.
  const shell = { ...collector.environment, OTEL_DENO: "true", OTEL_METRIC_EXPORT_INTERVAL: "20" };
  await using home = await createRealHome({ shell });
  await writeAgents(home, new URL(`http://127.0.0.1:${pages.addr.port}/page`), model);
  const { execution, shown } = await runOnce(home, "lead");
  assert.equal(execution.status, "success", JSON.stringify(execution));

  const spans = collector.spans();
  assert.deepEqual([...new Set(spans.map(({ scope }) => scope))], ["inkling"]);
  const outline = (parent: string): unknown[] =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent)
      .map(({ name, spanId }) => [name, ...outline(spanId)]);
  const delegated = [
    "invoke_agent helper",
    ["chat tiny"],
    ["execute_tool file_read"],
    ["execute_tool file_read"],
    ["chat tiny"],
  ];
  // With a shared database each run has a separate trace, because any node may run it.
  const apart = IS_POSTGRES ? [delegated] : [];
  assert.deepEqual(outline(""), [...apart, [
    "invoke_agent The Lead",
    ["chat script"],
    ["execute_tool http_request"],
    ["chat script"],
    ["execute_tool run_agent", ...IS_POSTGRES ? [] : [delegated]],
    ["chat script"],
  ]]);
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1 + apart.length);

  // Each export contains the totals since the start.
  const own = new Map(
    collector.points().filter(({ scope }) => scope === "inkling")
      .map((point) => [inspect([point.metric, point.attributes]), point]),
  );
  const sum = (metric: string, wanted: Record<string, unknown>) =>
    [...own.values()].filter((point) =>
      point.metric === metric &&
      Object.entries(wanted).every(([key, value]) => point.attributes[key] === value)
    ).reduce((total, { value }) => total + value, 0);
  for (const [agent, trigger] of [["lead", "manual"], ["helper", "agent"]] as const) {
    const ended = {
      "gen_ai.agent.id": agent,
      "inkling.execution.status": "success",
      "inkling.execution.trigger": trigger,
    };
    assert.equal(sum("inkling.executions", ended), 1, agent);
  }
  assert.equal(sum("inkling.cost", { "gen_ai.agent.id": "lead" }), 0.25);
  const totals = [execution.input_tokens, execution.output_tokens];
  const counted = ["input", "output"].map((type) =>
    sum("gen_ai.client.token.usage", {
      "gen_ai.token.type": type,
      "gen_ai.request.model": "script",
    })
  );
  assert.deepEqual(counted, totals);

  // Deno exports console output as logs, so the service must not use the console.
  assert.deepEqual(collector.logs(), []);
  assert.ok(shown.length > 0, "the service told in the foreground what went on");
  const received = collector.text();
  for (const word of [...Object.values(WORDS), KEY, "notes.md", home.root]) {
    assert.ok(!received.includes(word), word);
  }
});
