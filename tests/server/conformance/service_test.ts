// API conformance: health, info, shutdown, and the general rules for requests and refusals.
import assert from "node:assert/strict";
import { HealthBody } from "../../../api/routes/health.ts";
import { InfoBody } from "../../../api/schemas/info_schemas.ts";
import { overBoth, overTcp as test, TIMESTAMP } from "./both_transports.ts";
import { until } from "../../support/until.ts";

overBoth(
  "GET /health and /info: version, pid, uptime, agents, scheduler; both listeners serve the same data",
  async ({ call, client, otherClient, runToEnd, service }) => {
    const health = await call("/health");
    assert.deepEqual([health.status, health.body], [200, { status: "ok" }]);
    assert.deepEqual(HealthBody.parse(health.body), health.body);
    assert.match(health.headers.get("content-type") ?? "", /^application\/json/);

    const { status, body } = await call("/info");
    assert.equal(status, 200);
    assert.deepEqual(InfoBody.parse(body), body);
    assert.equal(body.version, "0.0.0-test");
    assert.equal(body.pid, Deno.pid);
    assert.ok(body.uptime_seconds >= 0);
    assert.match(body.started_at, TIMESTAMP);
    assert.deepEqual([body.agents_loaded, body.agents_enabled], [1, 1]);
    assert.deepEqual([body.scheduler_status, body.watcher_active], ["running", false]);
    assert.deepEqual([body.active_executions, body.waiting_executions], [0, 0]);
    assert.deepEqual(body.transports, [...service.transports]);
    assert.match(body.transports[0], /^unix:\/.+\/service\.sock$/);
    assert.equal(body.transports[1], `tcp://127.0.0.1:${service.ports[0]}`);

    const { id } = await runToEnd("writer");
    assert.deepEqual(await otherClient.execution(id), await client.execution(id));
  },
);

test("/openapi.json, /docs and /redoc are served with a strict content security policy", async ({ call }) => {
  const document = await call("/openapi.json");
  assert.equal(document.body.openapi, "3.1.0");
  for (const path of ["/docs", "/redoc"]) {
    const { status, text, headers } = await call(path);
    assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    assert.match(headers.get("content-security-policy") ?? "", /script-src 'self';/);
    assert.doesNotMatch(text, /https?:\/\/|<script>/);
    for (const [, asset] of text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      assert.equal((await call(asset ?? "")).status, 200, `${asset}`);
    }
  }
});

test("every path except /health needs the key", async (on) => {
  const base = `http://127.0.0.1:${on.service.ports[0]}`;
  for (
    const path of ["/info", "/agents", "/executions/1/stream", "/events/stream", "/docs", "/nope"]
  ) {
    for (const headers of [{}, { "x-api-key": "wrong" }]) {
      const response = await fetch(base + path, { headers });
      assert.equal(response.status, 401);
      assert.equal(await response.text(), '{"detail":"Invalid or missing API key"}');
    }
  }
  const open = await fetch(`${base}/health`);
  assert.deepEqual([open.status, await open.json()], [200, { status: "ok" }]);
});

test("no response has a CORS header, even for an origin in config.yaml", async (on) => {
  const { configDir, workspace } = on.workspace;
  const origin = "https://proxy.example";
  await Deno.writeTextFile(
    `${configDir}/config.yaml`,
    `workspace: ${workspace}\nhttp: { origins: ["${origin}"] }\n`,
  );
  await on.restart();
  const { id } = await on.runToEnd("writer");
  type Sent = { method?: string; headers?: Record<string, string> };
  const preflight: Sent = {
    method: "OPTIONS",
    headers: {
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    },
  };
  const requests: [string, Sent, number][] = [
    ["/health", {}, 200],
    ["/agents", {}, 200],
    ["/docs", {}, 200],
    [`/executions/${id}/stream`, {}, 200],
    ["/agents/writer/run", { method: "POST" }, 200],
    ["/nothing", {}, 404],
    ["/executions?limit=0", {}, 422],
    ["/agents/writer/run", { method: "PUT" }, 405],
    ["/agents/writer/run", preflight, 405],
    ["/agents", preflight, 405],
  ];
  const ofCors = (headers: Headers) =>
    [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  for (const [path, { method = "GET", headers }, expected] of requests) {
    const answer = await on.call(path, { method, headers: { ...headers, origin } });
    assert.deepEqual([path, answer.status, ofCors(answer.headers)], [path, expected, []]);
  }
  // The preflight request of a browser contains no key.
  const base = `http://127.0.0.1:${on.service.ports[0]}`;
  for (const { method = "GET", headers } of [{}, preflight]) {
    const sent = { ...headers, origin };
    const response = await fetch(`${base}/agents`, { method, headers: sent });
    assert.deepEqual([response.status, ofCors(response.headers)], [401, []]);
    await response.body?.cancel();
  }
  const events = on.call("/events/stream", { headers: { origin } });
  await until(async () => (await on.client.info()).active_streams === 1, "1 open stream");
  await on.client.shutdown();
  const { status, headers } = await events;
  assert.deepEqual([status, ofCors(headers)], [200, []]);
});
