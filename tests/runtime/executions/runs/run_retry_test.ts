// Tests retries of runs whose model could not be reached: their conditions, times and ends.
import assert from "node:assert/strict";
import type { JsonObject } from "../../../../base/json.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { freePort } from "../../../support/machine/free_port.ts";
import { OpenAiServer, type OpenAiStep } from "../../../support/models/openai_server.ts";
import { TestClock } from "../../../support/test_clock.ts";
import {
  createTestWorkspace,
  payloadsOf,
  type TestWorkspace,
} from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { FREE, idsOf, untilStatus } from "../executions_of.ts";
import { assertIdentical } from "../../replay/replayed.ts";

const MINUTE = 60_000;
const HELLO: OpenAiStep = { text: "Good morning." };
const DOWN: OpenAiStep = { status: 503, body: '{"error":{"message":"Overloaded"}}' };
const OVER: OpenAiStep = { status: 429, body: '{"error":{"message":"Too many"}}' };
const WRONG: OpenAiStep = { status: 401, body: '{"error":{"message":"Wrong key"}}' };

/** A provider that is down until it listens on its port, and a workspace whose agents use this provider. */
class World implements AsyncDisposable {
  readonly clock = new TestClock("2026-03-01T00:00:00.000Z");
  readonly #resources = new AsyncDisposableStack();
  readonly #port = freePort();
  #server: OpenAiServer | undefined;
  place!: TestWorkspace;
  runtime!: Runtime;
  /** The replies of the model, one for each request. The last one also answers all following requests. */
  answers: OpenAiStep[] = [HELLO];

  static async open(lines: string): Promise<World> {
    const world = new World();
    world.place = world.#resources.use(await createTestWorkspace());
    world.place.shell["MINE_API_KEY"] = "key";
    await world.write("report", lines);
    await world.start();
    return world;
  }

  async write(agent: string, lines: string): Promise<void> {
    const baseUrl = `http://127.0.0.1:${this.#port}`;
    const model = `model: { provider: mine, name: m, base_url: "${baseUrl}" }`;
    await this.place.writeAgent(agent, `---\n${model}\n${lines}\n---\nReport.`);
  }

  async start(): Promise<void> {
    this.runtime = this.#resources.use(await this.place.open({ clock: this.clock }));
  }

  listen(): void {
    const next = () => (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? HELLO;
    this.#server = this.#resources.use(new OpenAiServer([], next, this.#port));
  }

  /** The requests that the model has received, as text. */
  get asked(): string[] {
    return this.#server?.requests.map(({ body }) => JSON.stringify(body["messages"])) ?? [];
  }

  /**
   * Advances the clock until `holds` returns true. Passes the delays between attempts of a model call, but not the delay
   * before a run's retry.
   */
  async pass(holds: () => Promise<boolean>, what: string): Promise<void> {
    await until(async () => await holds() || (await this.clock.advance(1_000), false), what);
  }

  async notices(id: number): Promise<string[]> {
    return (await payloadsOf(this.runtime, id))
      .filter(({ kind, content }) => kind === "notice" && /^(Tries|Try)/.test(String(content)))
      .map(({ content }) => String(content));
  }

  /** Advances the clock by minutes at once, as on a suspended machine. */
  async skip(minutes: number): Promise<void> {
    await this.clock.skip(minutes * MINUTE);
  }

  /** Waits until a run's retry is scheduled and returns the minutes until the retry. */
  async untilRetry(id: number, attempt: number): Promise<number> {
    const next = async () => (await this.runtime.getExecution(id)).retry;
    const isPlanned = async () => {
      const retry = await next();
      return retry?.attempt === attempt && retry.isUnderWay === undefined;
    };
    await this.pass(isPlanned, `try ${attempt} is planned`);
    return Math.round((((await next())?.at ?? 0) - this.clock.now()) / MINUTE);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

Deno.test("a scheduled run retries after network errors, provider errors and rate limits, in one execution", async () => {
  await using world = await World.open("trigger: { type: schedule, every: 1h, max_failures: 1 }");
  const { runtime } = world;
  await world.skip(60);
  await until(async () => (await idsOf(runtime, "report")).length === 1, "the slot fires");
  const [id = 0] = await idsOf(runtime, "report");
  for (
    const [index, [answer, minutes]] of ([[DOWN, 1], [OVER, 5], [HELLO, 20]] as const).entries()
  ) {
    assert.equal(await world.untilRetry(id, index + 1), minutes);
    if (index === 0) world.listen();
    world.answers = [answer];
    await world.skip(minutes);
  }
  await world.pass(async () => (await runtime.getExecution(id)).status === "success", "it answers");
  const { durationMs, outputData } = await runtime.getExecution(id);
  assert.equal(outputData, "Good morning.");
  assert.ok((durationMs ?? Infinity) < 2 * MINUTE, `the waits count for nothing: ${durationMs}`);
  const notices = (await world.notices(id)).map((text) => text.replace(/ at \d\d:\d\d /, " "));
  assert.match(notices[0] ?? "", /^Tries again \(1 of 3\): Cannot reach mine at /);
  assert.match(notices[2] ?? "", /^Tries again \(2 of 3\): mine answered 503: .*Overloaded/);
  assert.match(notices[4] ?? "", /^Tries again \(3 of 3\): mine answered 429: .*Too many/);
  assert.deepEqual([notices[1], notices[3], notices[5]], [
    "Try 1 of 3",
    "Try 2 of 3",
    "Try 3 of 3",
  ]);
  assert.equal(new Set(world.asked).size, 1);
  assert.deepEqual(await idsOf(runtime, "report"), [id]);
  assert.equal((await runtime.getAgent("report")).triggerPaused, null);
  await assertIdentical(runtime, id);
  const fork = await runtime.replays.fork(id, { step: 0 });
  await world.pass(
    async () => (await runtime.getExecution(fork.id)).status === "success",
    "a fork",
  );
});

const called = (name: string, args: JsonObject): OpenAiStep => ({
  toolCalls: [{ name, arguments: args }],
});
const READ = called("file_glob", { pattern: "*" });
const ASK_HELPER = called("run_agent", { agent_id: "helper" });
const APPEND = called("memory_append", { section: "a", content: "b" });

/** The front matter, the replies before the failure, the failure, and the number of retries. */
const CASES: readonly [lines: string, replies: OpenAiStep[], failure: OpenAiStep, of?: number][] = [
  ["", [], DOWN],
  ["retry: 2", [], DOWN, 2],
  ["retry: { on: provider }", [], DOWN, 3],
  ["retry: { on: [network, rate_limit] }", [], DOWN],
  ["retry: 0", [], OVER],
  ["retry: 3", [], WRONG],
  ["retry: 3", [READ], DOWN, 3],
  ["retry: 3", [APPEND], DOWN],
  ["retry: 3\nagents: [helper]", [ASK_HELPER, READ, HELLO], DOWN, 3],
  ["retry: 3\nagents: [helper]", [ASK_HELPER, APPEND, HELLO], DOWN],
];

Deno.test("a run is retried if its agent, the failure and its calls allow a retry", async () => {
  await using world = await World.open("");
  const { runtime } = world;
  await world.write("helper", FREE);
  world.listen();
  for (const [index, [lines, replies, failure, of]] of CASES.entries()) {
    const label = `${lines} ${JSON.stringify(replies)} ${failure.status}`;
    await world.write(`report${index}`, `${lines}\n${FREE}`);
    world.answers = [...replies, failure];
    const before = world.asked.length;
    const { id } = await runtime.run(`report${index}`, {});
    const stored = () => runtime.getExecution(id);
    const isDecided = async () => {
      const { status, retry } = await stored();
      return status !== "running" || retry !== undefined;
    };
    await world.pass(isDecided, label);
    assert.equal((await stored()).retry?.of, of, label);
    if (of === undefined) {
      assert.equal((await stored()).status, "error", label);
      continue;
    }
    world.answers = [HELLO];
    await world.skip(1);
    await world.pass(async () => (await stored()).status === "success", label);
    assert.equal(world.asked.at(-1), world.asked[before + replies.length], label);
  }
});

Deno.test("a run that waits for its retry blocks no other run and can be cancelled", async () => {
  await using world = await World.open("retry: { times: 1, wait: 2h }\nmax_concurrent_runs: 1");
  const { runtime } = world;
  const { id } = await runtime.run("report", {});
  assert.equal(await world.untilRetry(id, 1), 120);
  world.listen();
  const { id: next } = await runtime.run("report", {});
  await untilStatus(runtime, next, "success");
  assert.equal(await runtime.cancel(id), "aborted");
  assert.equal((await runtime.getExecution(id)).error, "Cancelled by user");
});

Deno.test("a run that waits for its retry survives a stop and a kill, and Runtime.wake() retries it now", async () => {
  for (const isKilled of [false, true]) {
    const label = isKilled ? "killed" : "stopped";
    const lines = "retry: { wait: 2h }\nsettings: { max_duration: 1h }";
    await using world = await World.open(`${lines}\non_restart: orphan`);
    const { id } = await world.runtime.run("report", {});
    const { id: woken } = await world.runtime.run("report", {});
    for (const one of [id, woken]) assert.equal(await world.untilRetry(one, 1), 120, label);
    await world.runtime.stop({ graceMs: 3_600_000 });
    await world.runtime[Symbol.asyncDispose]();
    if (isKilled) await world.place.run("UPDATE instances SET stopped_at = NULL");
    await world.start();
    const { runtime } = world;
    assert.equal(await world.untilRetry(id, 1), 120, label);
    world.listen();
    const isDone = async (one: number) => (await runtime.getExecution(one)).status === "success";
    await runtime.wake(woken);
    await world.pass(() => isDone(woken), label);
    assert.equal(await isDone(id), false);
    await world.skip(120);
    await world.pass(() => isDone(id), label);
    for (const one of [id, woken]) assert.equal((await world.notices(one)).length, 2, label);
  }
});
