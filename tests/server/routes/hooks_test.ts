import assert from "node:assert/strict";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../../../api/operations/request_body.ts";
import type { Trigger } from "../../../runtime/agents/agent.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import type { FakeRuntime } from "../../support/fake_runtime.ts";
import { createTestService } from "../../support/test_service.ts";
import { until } from "../../support/until.ts";
import { sendRaw } from "../raw_http.ts";

const HOOK: Trigger<"webhook"> = {
  type: "webhook",
  scheme: "github",
  secrets: ["HOOK"],
  encoding: "hex",
  filter: { events: [], fields: {} },
  maxRuns: 200,
};

/** Starts a service with a port over a fake runtime that has one webhook agent. */
async function open() {
  const on = await createTestService();
  on.runtime.addAgent(fakeAgent("review", { trigger: HOOK }));
  on.runtime.addAgent(fakeAgent("off", { trigger: HOOK, enabled: false }));
  on.runtime.addAgent(fakeAgent("plain"));
  const { ports: [port = 0] } = await on.start({ tcp: { port: 0, apiKey: "key" } });
  return {
    ...on,
    port,
    async post(path: string, init: RequestInit = {}) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        body: "{}",
        ...init,
      });
      return {
        status: response.status,
        body: await response.json(),
        retryAfter: response.headers.get("retry-after"),
      };
    },
  };
}

Deno.test("POST /hooks needs no key and passes bytes and headers unchanged", async () => {
  await using on = await open();
  on.runtime.hookOutcome = { outcome: "accepted", executionId: 7, isNew: true, syncMs: undefined };
  const body = '{ "a":\t1 }';
  const answer = await on.post("/hooks/review", { body, headers: { "X-Hub-Signature-256": "s" } });
  assert.deepEqual(answer, { status: 202, body: { execution_id: 7 }, retryAfter: null });
  const [delivery] = on.runtime.deliveries;
  assert.equal(new TextDecoder().decode(delivery?.body), body);
  assert.equal(delivery?.headers.get("x-hub-signature-256"), "s");
});

Deno.test("POST /hooks returns 404 for an agent without a webhook", async () => {
  await using on = await open();
  for (const path of ["/hooks/off", "/hooks/plain/", "/hooks/nobody", "/hooks/%ff"]) {
    const { status, body } = await on.post(path);
    assert.deepEqual([status, body], [404, { detail: "Not Found" }], path);
  }
  for (const path of ["/hooks", "/hooks/", "/hooks/review/more", "/hooks/review//"]) {
    assert.equal((await on.post(path)).status, 401, path);
  }
  assert.deepEqual(on.runtime.deliveries, []);
  await on.client.health();
  const answer = await sendRaw(
    () => Deno.connect({ transport: "unix", path: on.socketFile }),
    "POST /hooks/review HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}",
  );
  assert.equal(answer.status, 404);
});

Deno.test("GET /hooks is 401 without the key and 405 with it", async () => {
  await using on = await open();
  const get = (headers: Record<string, string>) =>
    on.post("/hooks/review", { method: "GET", body: null, headers });
  assert.equal((await get({})).status, 401);
  assert.equal((await get({ "x-api-key": "key" })).status, 405);
});

Deno.test("POST /hooks returns the response of each outcome", async () => {
  await using on = await open();
  const told = async (outcome: FakeRuntime["hookOutcome"]) => {
    on.runtime.hookOutcome = outcome;
    const { status, body, retryAfter } = await on.post("/hooks/review");
    return [status, body, retryAfter];
  };
  const detail = "The signature is missing, wrong or too old";
  assert.deepEqual(await told({ outcome: "unsigned" }), [401, { detail }, null]);
  assert.deepEqual(await told({ outcome: "unknown" }), [404, { detail: "Not Found" }, null]);
  assert.deepEqual(
    await told({ outcome: "unreadable", status: 415, reason: "No." }),
    [415, { detail: "No." }, null],
  );
  assert.deepEqual(
    await told({ outcome: "later", reason: "The scheduler is paused" }),
    [503, { detail: "The scheduler is paused" }, "60"],
  );
  assert.deepEqual(
    await told({ outcome: "answered", body: { challenge: "c" } }),
    [200, { challenge: "c" }, null],
  );
  assert.deepEqual(
    await told({ outcome: "filtered", reason: "the event" }),
    [200, { filtered: "the event" }, null],
  );
  assert.deepEqual(
    await told({ outcome: "accepted", executionId: 3, isNew: false, syncMs: undefined }),
    [202, { execution_id: 3, duplicate: true }, null],
  );
});

Deno.test("POST /hooks with sync returns the execution's end, or 202 if it takes long", async () => {
  await using on = await open();
  const { id } = on.runtime.addExecution({ agentId: "review" });
  on.runtime.hookOutcome = { outcome: "accepted", executionId: id, isNew: true, syncMs: 30_000 };
  const late = on.post("/hooks/review");
  await until(() => on.clock.awaits(30_000), "it waits");
  await on.clock.advance(30_000);
  assert.deepEqual((await late).body, { execution_id: id });
  const inTime = on.post("/hooks/review");
  await until(() => on.clock.awaits(30_000), "it waits");
  const execution = on.runtime.executions.get(id);
  assert.ok(execution !== undefined);
  on.runtime.executions.set(id, { ...execution, finishedAt: 1, outputData: "Fine." });
  on.runtime.setStatus(id, "success");
  const { status, body } = await inTime;
  assert.deepEqual([status, body], [200, {
    execution_id: id,
    status: "success",
    output_data: "Fine.",
    error: null,
  }]);
});

Deno.test("POST /hooks refuses large and slow bodies before any check", async () => {
  await using on = await open();
  const large = await on.post("/hooks/review", { body: "x".repeat(MAX_BODY_BYTES + 1) });
  assert.equal(large.status, 413);
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port: on.port });
  const slow = sendRaw(
    connect,
    "POST /hooks/review HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{",
  );
  await until(() => on.clock.awaits(BODY_TIMEOUT_MS), "it is waited for");
  await on.clock.advance(BODY_TIMEOUT_MS);
  assert.equal((await slow).status, 408);
  assert.deepEqual(on.runtime.deliveries, []);
});

Deno.test("POST /hooks reads 32 bodies at a time and refuses further ones", async () => {
  await using on = await open();
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port: on.port });
  const head = "POST /hooks/review HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{";
  const slow = Array.from({ length: 32 }, () => sendRaw(connect, head));
  await until(async () => (await on.post("/hooks/review")).status === 503, "there is no room");
  await on.clock.advance(BODY_TIMEOUT_MS);
  assert.deepEqual(new Set((await Promise.all(slow)).map(({ status }) => status)), new Set([408]));
  assert.equal((await on.post("/hooks/review")).status, 401, "there is room again");
});

Deno.test("serve() without a port warns of agents with a webhook", async () => {
  await using on = await createTestService();
  const { runtime } = on;
  runtime.addAgent(fakeAgent("review", { trigger: HOOK }));
  await on.start();
  runtime.addAgent(fakeAgent("other", { trigger: HOOK }));
  runtime.events.publish({
    type: "agents_changed",
    change: "loaded",
    agentId: "other",
    displayName: "other",
  });
  const warned = runtime.log.lines.filter(({ message }) => message.includes("has no TCP port"));
  assert.deepEqual(warned.map(({ fields }) => fields.agent), ["review", "other"]);
});
