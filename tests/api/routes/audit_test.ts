// Tests GET /audit: its filters, and the records that a caller without the right admin sees.
import assert from "node:assert/strict";
import type { AuditFilter } from "../../../runtime/audit/audit_table.ts";
import type { Caller } from "../../../runtime/vocabulary/callers.ts";
import { createTestApp } from "../../support/test_app.ts";

function createAuditApp(caller: Caller) {
  const world = createTestApp({ caller });
  const filters: AuditFilter[] = [];
  world.runtime.auditRecords.push({
    id: 3,
    at: 0,
    action: "edit_file",
    via: "page",
    name: "anna",
    address: "10.0.0.7",
    agentId: "a",
    executionId: null,
    file: "/agents/a.md",
    isDone: false,
    detail: { note: 1 },
  });
  const list = world.runtime.audit.listRecords;
  world.runtime.audit.listRecords = (filter) => {
    filters.push(filter);
    return list(filter);
  };
  return { ...world, filters };
}

Deno.test("GET /audit passes its filters on and shows whole records to an admin", async () => {
  const { call, filters } = createAuditApp({ via: "api", name: "sam", role: "admin" });
  const query = "action=edit_file&agent=a,b&name=anna&via=page&execution_id=7&file=/agents/a.md" +
    "&since=1970-01-01T00:00:01Z&until=1970-01-01T00:00:02Z&before=9&limit=5";
  const { status, body } = await call(`/audit?${query}`);
  assert.equal(status, 200);
  assert.deepEqual(body, [{
    id: 3,
    at: "1970-01-01T00:00:00.000Z",
    action: "edit_file",
    via: "page",
    name: "anna",
    address: "10.0.0.7",
    agent_id: "a",
    execution_id: null,
    file: "/agents/a.md",
    is_done: false,
    detail: { note: 1 },
  }]);
  assert.deepEqual(filters, [{
    actions: ["edit_file"],
    agentIds: ["a", "b"],
    ofAgents: false,
    name: "anna",
    via: "page",
    executionId: 7,
    file: "/agents/a.md",
    since: 1_000,
    until: 2_000,
    before: 9,
    limit: 5,
  }]);
  assert.equal((await call("/audit?action=nothing")).status, 422);
  for (const method of ["POST", "PUT", "DELETE"]) {
    assert.equal((await call("/audit", { method })).status, 405);
  }
});

Deno.test("GET /audit shows others only changes of agents that they may see, without addresses", async () => {
  const viewer = createAuditApp({ via: "api", name: "sam", role: "viewer" });
  assert.equal((await viewer.call("/audit")).body[0].address, null);
  assert.deepEqual([viewer.filters[0]?.ofAgents, viewer.filters[0]?.agentIds], [true, undefined]);
  const narrowed = createAuditApp({ via: "api", name: "sam", role: "admin", agents: ["a", "b"] });
  await narrowed.call("/audit");
  await narrowed.call("/audit?agent=b,c");
  await narrowed.call("/audit?agent=c");
  assert.deepEqual(narrowed.filters.map(({ agentIds }) => agentIds), [["a", "b"], ["b"], []]);
  assert.equal(narrowed.filters.every(({ ofAgents }) => ofAgents), true);
});
