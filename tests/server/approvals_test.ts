// Approvals by two people over TCP, each with a key of one's own.
import assert from "node:assert/strict";
import { KEY, serveWorkspace } from "../support/test_service.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../support/test_workspace.ts";

Deno.test("over TCP, two named keys approve a call, and the key of the whole service does not", async () => {
  await using place = await createTestWorkspace();
  const write = { name: "file_write", arguments: { path: "a.txt", content: "x" } };
  const steps = [{ call: [write] }, { say: "Done." }];
  await place.writeScript("writer", steps, "approvers: [anna, bob]\napprovals: 2");
  await using service = await serveWorkspace(place);
  const { runtime, origin } = service;
  const keys = await runtime.keys();
  const add = (name: string) =>
    keys.add({ name, role: "operator", agents: null, lifeMs: null }, { via: "api" });
  const [anna, bob, carl] = [await add("anna"), await add("bob"), await add("carl")];
  const { id } = await runToEnd(runtime, "writer");
  const base = `${origin}/executions/${id}`;
  const read = async () => {
    const response = await fetch(`${base}/pending`, { headers: { "x-api-key": anna } });
    const { approvals, needed, approved_by, approvers } = await response.json();
    return [approvals, needed, approved_by, approvers];
  };
  const respond = async (key: string, more: object = {}) => {
    const { requestId } = await runtime.pendingRequest(id);
    const response = await fetch(`${base}/respond`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ request_id: requestId, response: { approved: true }, ...more }),
    });
    return { status: response.status, body: await response.json() };
  };
  assert.deepEqual(await read(), [0, 2, [], ["anna", "bob"]]);
  assert.deepEqual(await respond(KEY), {
    status: 403,
    body: {
      detail: "This question is for anna, bob; this key has no name: use your own key, which " +
        "`inkling key add` makes",
    },
  });
  assert.deepEqual(await respond(carl), {
    status: 403,
    body: { detail: "This question is for anna, bob" },
  });
  assert.equal((await respond(anna, { via: "program" })).status, 403);
  assert.deepEqual(await respond(anna, { via: "page" }), {
    status: 200,
    body: { status: "waiting", execution_id: id, approvals: 1, needed: 2 },
  });
  const twice = await respond(anna);
  assert.deepEqual([twice.status, twice.body.detail], [
    409,
    "anna has approved this call: 1 more of anna, bob must approve it",
  ]);
  assert.deepEqual(await read(), [1, 2, ["anna"], ["anna", "bob"]]);
  assert.deepEqual(await respond(bob), {
    status: 200,
    body: { status: "resuming", execution_id: id },
  });
  assert.equal((await toEnd(runtime, id)).status, "success");
});
