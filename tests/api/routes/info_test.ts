import assert from "node:assert/strict";
import { InfoBody } from "../../../api/schemas/info_schemas.ts";
import { node } from "../../runtime/executions/nodes/fake_nodes.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createTestApp } from "../../support/test_app.ts";

Deno.test("GET /info returns counts of agents and executions, directories and addresses", async () => {
  const { call, runtime, clock } = createTestApp();
  runtime.addAgent(fakeAgent("a"));
  const odd = {
    path: "agents/b.md",
    line: 2,
    column: 1,
    severity: "warning" as const,
    message: "Odd",
  };
  const sourcePath = "agents/b.md";
  runtime.addAgent(fakeAgent("b", { enabled: false, sourcePath, warnings: [odd] }));
  runtime.configWarnings = [{ ...odd, path: "config.yaml", hint: "leave it out" }];
  for (const status of ["running", "waiting", "waiting", "success"] as const) {
    runtime.addExecution({ status });
  }
  const rest = { until: clock.now() + 60_000, reason: "the backup", since: clock.now() };
  runtime.addExecution({ rest });
  runtime.addExecution({ rest: { ...rest, ended: { at: clock.now(), by: "time" } } });
  const problem = { path: "agents/c.md", line: 3, column: 1, severity: "error", message: "Bad" };
  runtime.broken = [{
    id: "c",
    path: "agents/c.md",
    diagnostics: [{ ...problem, severity: "error" }],
  }];
  runtime.testedChannels = [{ name: "phone", test: "accepted" }];
  await clock.advance(1_500);
  const { status, body } = await call("/info");
  assert.equal(status, 200);
  assert.deepEqual(InfoBody.parse(body), body);
  assert.deepEqual(body, {
    version: "1.2.3",
    pid: Deno.pid,
    uptime_seconds: 1.5,
    agents_loaded: 2,
    agents_enabled: 1,
    scheduler_status: "running",
    watcher_active: false,
    active_streams: 0,
    active_executions: 2,
    waiting_executions: 2,
    resting_executions: 1,
    started_at: "2026-01-01T00:00:00.000Z",
    workspace: "/home/me/workspace",
    state_dir: "/home/me/state",
    log_file: "/home/me/state/inkling.log",
    transports: ["unix:/home/me/service.sock"],
    keep_alive: false,
    service_manager: null,
    channels: [{ name: "phone", test: "accepted" }],
    storage: { kind: "sqlite", place: "/state/inkling.db" },
    agent_errors: [{ id: "c", path: "agents/c.md", diagnostics: [{ ...problem, hint: null }] }],
    agent_warnings: [{ id: "b", path: "agents/b.md", diagnostics: [{ ...odd, hint: null }] }],
    config_warnings: [{ ...odd, path: "config.yaml", hint: "leave it out" }],
  });
});

Deno.test("GET /info lists the nodes of a shared database and marks its own", async () => {
  const { call, runtime } = createTestApp();
  assert.ok(!("nodes" in (await call("/info")).body));
  runtime.storage = { kind: "postgres", place: "postgres://inkling@db.example/inkling" };
  assert.deepEqual((await call("/info")).body.nodes, []);
  runtime.nodes.push(
    node({
      labels: ["gpu"],
      startedAt: runtime.clock.now(),
      silentMs: 1_500,
      runs: 2,
      isThis: true,
    }),
    node({ name: "beta", silentMs: 60_000, isAlive: false }),
  );
  const { body } = await call("/info");
  assert.deepEqual(InfoBody.parse(body), body);
  assert.deepEqual(body.storage, {
    kind: "postgres",
    place: "postgres://inkling@db.example/inkling",
  });
  assert.deepEqual(body.nodes, [{
    name: "alpha",
    version: "1.2.3",
    labels: ["gpu"],
    started_at: "2026-01-01T00:00:00.000Z",
    silent_seconds: 1.5,
    alive: true,
    running_executions: 2,
    this_node: true,
  }, {
    name: "beta",
    version: "1.2.3",
    labels: [],
    started_at: "1970-01-01T00:00:00.000Z",
    silent_seconds: 60,
    alive: false,
    running_executions: 0,
    this_node: false,
  }]);
});
