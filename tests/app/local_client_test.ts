import assert from "node:assert/strict";
import { createLocalClient } from "../../app/local_client.ts";
import { call } from "../runtime/executions/executions_of.ts";
import { createTestWorkspace, payloadsOf, runToEnd, toEnd } from "../support/test_workspace.ts";

Deno.test("createLocalClient() answers like the service and leaves the runtime open", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("hello", [{ say: "Hi." }]);
  await using runtime = await place.open();
  {
    using client = createLocalClient(runtime);
    assert.deepEqual((await client.agents()).map(({ id }) => id), ["hello"]);
    await assert.rejects(client.execution(7), { message: "Execution not found" });
  }
  using again = createLocalClient(runtime);
  assert.deepEqual(await again.executions().then(({ length }) => length), 0);
});

Deno.test("the answers of a local client are stored as its caller's, whatever the request says", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [call("ask_user", { question: "Which?" })] }, { say: "Fine." }];
  await place.writeScript("asker", steps);
  await using runtime = await place.open();
  using client = createLocalClient(runtime, { via: "chat", name: "owner" });
  const { id } = await runToEnd(runtime, "asker");
  const { request_id } = await client.pending(id);
  await client.respond(id, { request_id, response: { text: "red" }, via: "terminal" });
  await toEnd(runtime, id);
  const answer = (await payloadsOf(runtime, id)).find((one) => one["answered_via"] !== undefined);
  assert.deepEqual([answer?.["answered_via"], answer?.["answered_by"]], ["chat", "owner"]);
});
