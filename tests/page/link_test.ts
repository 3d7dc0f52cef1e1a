// Tests of the page's connection, with a scripted transport and a manual clock.
import assert from "node:assert/strict";
import { Client, type Transport } from "../../api/client/client.ts";
import { ServiceLink } from "../../page/state/link.ts";
import { settle, TestClock } from "../support/test_clock.ts";

/** A service whose responses, events and failures a test controls. */
class ScriptedService {
  readonly clock = new TestClock();
  readonly link: ServiceLink;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Returns the response or the error of the next connection. */
  answer: () => Response | Error = () => this.open();
  attempts = 0;
  changes = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    const fetch: Transport = (_path, { signal }) => {
      this.attempts++;
      const answer = this.answer();
      // The stream fails when its request is aborted, as in a browser.
      signal?.addEventListener("abort", () => this.#fail(signal.reason));
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    this.link = new ServiceLink({ client: new Client({ fetch }), clock: this.clock });
    this.link.subscribe(() => this.changes++);
    this.#running = this.link.run(this.#stop.signal);
  }

  get phase(): string {
    return this.link.state.phase;
  }

  tell(event: string, payload: object = {}): Promise<void> {
    const text = `event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`;
    this.#controller?.enqueue(new TextEncoder().encode(text));
    return settle();
  }

  async break(): Promise<void> {
    this.#fail(new TypeError("reset"));
    await settle();
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.clock.advance(1_000);
  }

  /** Returns a response whose stream stays open. */
  readonly open = (): Response =>
    new Response(
      new ReadableStream({ start: (controller) => void (this.#controller = controller) }),
    );

  #fail(reason: unknown): void {
    this.#controller?.error(reason);
    this.#controller = undefined;
  }
}

Deno.test("ServiceLink marks every topic as changed when it connects or reconnects", async () => {
  await using service = new ScriptedService();
  const { link } = service;
  assert.equal(service.phase, "connecting");
  await settle();
  assert.equal(service.phase, "online");
  assert.deepEqual([link.version("agents"), link.version("scheduler")], [1, 1]);
  await service.break();
  assert.equal(service.phase, "lost");
  service.answer = () => new TypeError("nobody listens");
  await service.pass(250);
  assert.equal(service.phase, "lost");
  assert.equal(service.attempts, 2);
  service.answer = service.open;
  await service.pass(500);
  assert.equal(service.phase, "online");
  assert.deepEqual([link.version("agents"), link.version("scheduler")], [2, 2]);
});

Deno.test("ServiceLink reports the topics of each event, and several events together", async () => {
  await using service = new ScriptedService();
  const { link } = service;
  await settle();
  await service.pass(200);
  const before = service.changes;
  for (let i = 0; i < 5; i++) await service.tell("execution_started", { execution_id: i });
  assert.equal(link.version("executions"), 6);
  assert.equal(link.version("scheduler"), 1);
  assert.equal(service.changes, before);
  await service.pass(200);
  assert.equal(service.changes, before + 1);
  await service.tell("scheduler_changed", { status: "paused" });
  assert.equal(link.version("scheduler"), 2);
  await service.tell("heartbeat");
  assert.equal(link.version("executions"), 6);
});

Deno.test("ServiceLink treats a silent connection as dead", async () => {
  await using service = new ScriptedService();
  await settle();
  await service.pass(24_000);
  await service.tell("heartbeat");
  await service.pass(24_000);
  assert.equal(service.phase, "online");
  await service.pass(1_000);
  assert.equal(service.phase, "lost");
});

Deno.test("ServiceLink reports the reason of a failed connection", async () => {
  await using service = new ScriptedService();
  const { link } = service;
  const reason = () => link.state.phase === "lost" ? link.state.reason : "";
  await settle();
  await service.tell("shutdown", { reason: "signal" });
  assert.match(reason(), /has stopped/);
  const refusal = (status: number, detail: string) => () => Response.json({ detail }, { status });
  service.answer = refusal(401, "Invalid or missing API key");
  await service.pass(250);
  assert.match(reason(), /reload the page to log in/);
  service.answer = refusal(421, "No such host");
  await service.pass(500);
  assert.match(reason(), /refused the request: No such host/);
  service.answer = () => new TypeError("nobody listens");
  await service.pass(1_000);
  assert.match(reason(), /No response/);
});

Deno.test("ServiceLink.retry() reconnects at once", async () => {
  await using service = new ScriptedService();
  const { link } = service;
  await settle();
  await service.break();
  const { signal } = new AbortController();
  let hasChanged = false;
  const version = link.version("executions");
  link.changeSince(version, { topic: "executions", signal }).then(() => {
    hasChanged = true;
  });
  await settle();
  assert.equal(hasChanged, false);
  service.answer = service.open;
  link.retry();
  await settle();
  assert.equal(service.phase, "online");
  await service.pass(200);
  assert.equal(hasChanged, true);
  const over = AbortSignal.abort();
  await link.changeSince(link.version("agents"), { topic: "agents", signal: over });
  await link.changeSince(link.version("agents") - 1, { topic: "agents", signal });
});
