import assert from "node:assert/strict";
import { createLocalClient } from "../../app/local_client.ts";
import { createTestWorkspace } from "../support/test_workspace.ts";

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
