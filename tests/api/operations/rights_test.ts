// The rights of roles: the request of each operation by each role, over the whole application.
import assert from "node:assert/strict";
import { OPERATION_PATHS } from "../../../api/operations/operation_paths.ts";
import { createApp } from "../../../server/app.ts";
import { hasRight, type Role, ROLE_NAMES } from "../../../runtime/vocabulary/rights.ts";
import type { WorkspaceFiles } from "../../../runtime/interface/workspace_files.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { fakePlan } from "../../support/fake_plan.ts";
import { createTestApp } from "../../support/test_app.ts";

/** The operations by the least role that may use them. */
const LEAST_ROLE = {
  viewer: [
    "info agents agent plan runs slots executions execution messages follow replay pending",
    "agentFile companions whoami renewKey checkpoints budgets signIns scheduler events stats recap audit",
  ],
  operator: [
    "shutdown reload run resumeAgent cancel wake fork respond purgeCheckpoints raiseBudget",
    "beginSignIn pauseScheduler resumeScheduler log",
  ],
  author: [
    "autoApprove previewArguments saveAgentFile checkAgentFile renameAgent enableAgent",
    "file saveFile checkFile editor",
  ],
  admin: ["pairChat pairing keys addKey revokeKey people removePerson"],
};
/** The operations that a key for some agents never has, besides those of authors and admins. */
const FOR_ALL_AGENTS = new Set([
  ..."shutdown reload resumeAgent purgeCheckpoints raiseBudget beginSignIn".split(" "),
  ..."pauseScheduler resumeScheduler log".split(" "),
]);
const LEAST = new Map(
  Object.entries(LEAST_ROLE).flatMap(([role, lines]) =>
    lines.join(" ").split(" ").map((id) => [id, ROLE_NAMES.findIndex((one) => one === role)])
  ),
);

Deno.test("each role may use its operations, and gets 403 with the right's name for all others", async () => {
  // The stop comes last, because all requests of a role share an application.
  const places = OPERATION_PATHS.toSorted((a, b) =>
    Number(a.id === "shutdown") - Number(b.id === "shutdown")
  );
  for (const [rank, role] of ROLE_NAMES.entries()) {
    for (const agents of [undefined, ["x"]]) {
      const { app } = createTestApp({
        caller: { via: "api", name: "sam", key: "sam", role, ...agents && { agents } },
      });
      for (const { id, method, path, right } of places) {
        const least = id === "health" ? 0 : LEAST.get(id);
        assert(least !== undefined, `${id} has no entry in this test`);
        const { status, body, headers } = await app.request(path.replace("{id}", "7"), {
          method,
          ...method === "POST" &&
            { body: "{}", headers: { "content-type": "application/json" } },
        });
        const isStream = headers.get("content-type") === "text/event-stream";
        const text = isStream ? "" : await new Response(body).text();
        if (isStream) await body?.cancel();
        const isAllowed: boolean = rank >= least &&
          (agents === undefined || least < 2 && !FOR_ALL_AGENTS.has(id));
        const where = `${id} as ${role} ${agents ?? ""}: ${status} ${text}`;
        assert.equal(status === 403, !isAllowed, where);
        if (!isAllowed) {
          assert.match(JSON.parse(text).detail, new RegExp(`the right "${right}"`), where);
        }
      }
    }
  }
});

Deno.test("a key for some agents uses each of its operations for these agents, and no other agent", async () => {
  const caller = { via: "api", key: "sam", role: "operator", agents: ["own"] } as const;
  for (const { id, method, path, right } of OPERATION_PATHS) {
    if (right === "open" || !hasRight(caller, right)) continue;
    const request = async (agent: string, execution: string) => {
      const { app, runtime } = createTestApp({ caller });
      for (const agentId of ["own", "foreign"]) {
        runtime.addAgent(fakeAgent(agentId));
        runtime.plans.set(agentId, fakePlan());
        runtime.addExecution({ agentId, status: "success" });
      }
      runtime.files = () =>
        Promise.resolve({
          read: () => Promise.resolve({ path: "/a.md", text: "", version: null, diagnostics: [] }),
          companions: () => Promise.resolve({ memory: null, tests: [] }),
        } as unknown as WorkspaceFiles);
      const given = path.replace("{id}", path.startsWith("/agents") ? agent : execution);
      const { status, body } = await app.request(given, {
        method,
        ...method === "POST" && { body: "{}", headers: { "content-type": "application/json" } },
      });
      await body?.cancel();
      return status;
    };
    const own = await request("own", "1");
    if (method === "GET") assert.equal(own, id === "pending" ? 404 : 200, id);
    assert.ok(own < 500, `${id}: ${own}`);
    if (path.includes("{id}")) assert.equal(await request("foreign", "2"), 404, id);
  }
});

Deno.test("a refusal names the role or the limit to some agents, as is the cause", async () => {
  const refusal = async (role: Role, path: string) => {
    const { call } = createTestApp({ caller: { via: "api", role, agents: ["own"] } });
    return (await call(path, { method: "POST", json: {} })).body.detail;
  };
  assert.match(await refusal("viewer", "/agents/own/run"), /Your role is viewer$/);
  assert.match(await refusal("viewer", "/scheduler/pause"), /Your role is viewer$/);
  assert.match(await refusal("operator", "/scheduler/pause"), /some agents does not have it$/);
});

Deno.test("changed arguments of a call need the right to edit", async () => {
  const answer = async (role: Role, response: object) => {
    const { call, runtime } = createTestApp({ caller: { via: "api", role } });
    const { id } = runtime.addExecution({ status: "waiting" });
    return await call(`/executions/${id}/respond`, {
      method: "POST",
      json: { request_id: "r1", response },
    });
  };
  const changed = await answer("operator", { approved: true, arguments: { path: "b.md" } });
  assert.equal(changed.status, 403);
  assert.match(changed.body.detail, /the right "edit" .* author, admin have/);
  assert.notEqual((await answer("operator", { approved: true })).status, 403);
  assert.notEqual((await answer("author", { approved: true, arguments: {} })).status, 403);
});

Deno.test("a request without a sender is refused with 401, except the health check", async () => {
  const { runtime, lifecycle } = createTestApp();
  const app = createApp({ runtime, lifecycle, transports: () => [] });
  for (const { method, path, right } of OPERATION_PATHS) {
    const { status } = await app.request(path.replace("{id}", "7"), { method });
    assert.equal(status, right === "open" ? 200 : 401, path);
  }
  assert.equal((await app.request("/v1/models")).status, 401);
  assert.equal((await app.request("/mcp", { method: "POST" })).status, 401);
});
