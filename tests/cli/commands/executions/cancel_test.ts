import assert from "node:assert/strict";
import { createFakeCli } from "../../fake_cli.ts";
import { ask, finish } from "../../waiting_execution.ts";

Deno.test("cancel ends each execution once, and tells what became of it", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addExecution({ agentId: "daily" });
  cli.runtime.addExecution({ agentId: "weekly" });
  finish(cli, 2, "Done.");
  cli.runtime.addExecution({ agentId: "asking" });
  ask(cli, 3);
  assert.equal(await cli.run("cancel", "1", "2", "3", "1"), 0);
  assert.equal(
    cli.stdout.text,
    [
      "Execution 1 of daily is being cancelled",
      "Execution 2 of weekly has ended before: success",
      "Execution 3 of asking is cancelled",
      "",
    ].join("\n"),
  );
});

Deno.test("cancel names an id without an execution, and cancels the others", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addExecution({ agentId: "daily" });
  assert.equal(await cli.run("cancel", "9", "1", "--json"), 2);
  assert.match(cli.stderr.text, /There is no execution 9/);
  assert.deepEqual(JSON.parse(cli.stdout.text), [{ status: "cancelling", execution_id: 1 }]);
});
