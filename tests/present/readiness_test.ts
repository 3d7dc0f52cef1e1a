// The conditions for agents that run while nobody watches.
import assert from "node:assert/strict";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import {
  describeReadiness,
  findMissingConditions,
  type ReadinessFacts,
} from "../../present/readiness.ts";

const agent = (id: string, more: Partial<AgentSummary> = {}) =>
  ({
    id,
    enabled: true,
    trigger_type: "schedule",
    after: [],
    trigger_paused: null,
    ...more,
  }) as AgentSummary;
const file = (id: string, severity: "error" | "warning") => ({
  id,
  path: `agents/${id}.md`,
  diagnostics: [{ path: "", line: 1, column: 1, severity, message: "Bad", hint: null }],
});

const INFO: ReadinessFacts["info"] = {
  service_manager: "systemd",
  channels: [{ name: "phone", test: "accepted" }, { name: "team", test: "none" }],
  agent_errors: [],
  agent_warnings: [file("daily", "warning")],
  scheduler_status: "running",
};
const READY: ReadinessFacts = {
  unit: { isEnabled: true, isLingering: true },
  isConfined: false,
  isRunning: true,
  info: INFO,
  agents: [agent("daily")],
};

const codes = (facts: Partial<ReadinessFacts>, info: Partial<ReadinessFacts["info"]> = {}) =>
  findMissingConditions({ ...READY, ...facts, info: { ...INFO, ...info } })
    .map(({ code }) => code);

Deno.test("findMissingConditions() returns none for an enabled unit, a tested channel and valid agents", () => {
  assert.deepEqual(codes({}), []);
  assert.equal(describeReadiness([]), "Unattended: ready");
});

Deno.test("findMissingConditions() returns each missing condition of the service's unit", () => {
  assert.deepEqual(codes({ unit: undefined }), ["unit_missing"]);
  assert.deepEqual(codes({ unit: undefined, isConfined: true }), ["unit_unreadable"]);
  assert.deepEqual(codes({ unit: { isEnabled: false, isLingering: false } }), [
    "unit_disabled",
    "lingering_off",
  ]);
  assert.deepEqual(codes({}, { service_manager: null }), ["unit_inactive"]);
  assert.deepEqual(codes({ isRunning: false }), ["unit_inactive"]);
  assert.deepEqual(codes({ unit: undefined }, { service_manager: "container" }), []);
});

Deno.test("findMissingConditions() returns each missing condition of the channels, agents and scheduler", () => {
  assert.deepEqual(codes({}, { channels: [] }), ["channel_missing"]);
  assert.deepEqual(codes({}, { channels: [{ name: "a", test: "none" }] }), ["channel_untested"]);
  const failed = [{ name: "a", test: "accepted" as const }, { name: "b", test: "failed" as const }];
  assert.deepEqual(findMissingConditions({ ...READY, info: { ...INFO, channels: failed } }), [
    { code: "test_failed", names: ["b"] },
  ]);
  const agents = [
    agent("daily", { trigger_paused: "it ran away" }),
    agent("off", {
      enabled: false,
      trigger_paused: "it ran away",
    }),
  ];
  const info = {
    ...INFO,
    agent_errors: [file("new", "error"), file("off", "error")],
    agent_warnings: [file("daily", "error")],
    scheduler_status: "paused" as const,
  };
  const missing = findMissingConditions({ ...READY, agents, info });
  assert.deepEqual(missing, [
    { code: "agent_error", names: ["new", "daily"] },
    { code: "trigger_paused", names: ["daily"] },
    { code: "scheduler_paused" },
  ]);
  assert.match(
    describeReadiness(missing),
    /^Unattended: not ready: an agent's file has an error: /,
  );
});
