// Tests a guarded MCP tool: a person edits the arguments of its call, and auto-approves the tool by its name at the server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { resultsOf } from "../../executions/executions_of.ts";
import { runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { FixtureHttpServer } from "./http_server.ts";
import { createPlace, entryOf } from "./mcp_place.ts";

Deno.test("a person can edit an MCP tool call within its schema, and auto-approve server/tool", async () => {
  await using server = new FixtureHttpServer();
  await using place = await createPlace({ fixture: entryOf(server) });
  const echo = { name: "echo", arguments: { text: "theirs" } };
  const steps = [{ call: [echo] }, { say: "Done." }];
  await place.writeScript("caller", steps, "mcp: [fixture]\nconfirm: [echo]");
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "caller");
  assert.equal(status, "waiting");
  const { requestId } = await runtime.pendingRequest(id);
  const respond = (args: Record<string, string | number>) =>
    runtime.respond(id, { requestId, answer: { approved: true, arguments: args } });
  await assert.rejects(respond({ text: 5 }), { name: "AnswerMisfit", message: /text/ });
  const refusal = { name: "AnswerMisfit", message: /"text" is missing/ };
  await assert.rejects(runtime.previewArguments(id, { requestId, args: {} }), refusal);
  assert.equal(await runtime.previewArguments(id, { requestId, args: { text: "mine" } }), null);
  assert.equal((await runtime.getExecution(id)).status, "waiting");
  await respond({ text: "mine" });
  assert.equal((await toEnd(runtime, id)).status, "success");
  const expected = 'mine\nThe user changed the arguments of this call before it ran: text = "mine"';
  assert.equal((await resultsOf(runtime, id))[0]?.["content"], expected);

  for (const [tool, written] of [["echo", true], ["fixture/echo", false]] as const) {
    const approval = await runtime.autoApprove("caller", { tool, write: true });
    assert.deepEqual([approval.written, approval.already], [written, !written]);
  }
  const text = await Deno.readTextFile(join(place.agentsDir, "caller.md"));
  assert.match(text, /\nauto_approve: \[fixture\/echo\]\n---\n/);
  assert.equal((await runToEnd(runtime, "caller")).status, "success");
});
