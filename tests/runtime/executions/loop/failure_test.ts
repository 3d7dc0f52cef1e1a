// Tests the errors of failed runs: the message of an expected failure, or a reference to the log for a bug.
import assert from "node:assert/strict";
import { toFailure } from "../../../../runtime/executions/loop/failure.ts";
import { ExecutionNotFound } from "../../../../runtime/executions/refusals.ts";
import { RunStopped } from "../../../../runtime/executions/loop/run.ts";
import { ModelError } from "../../../../runtime/models/model.ts";
import { StorageUnavailable } from "../../../../runtime/database/database.ts";
import { ToolsUnavailable } from "../../../../runtime/tools/failures/tools_unavailable.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { openTestStore } from "../../../support/test_store.ts";

Deno.test("toFailure() returns the message of an expected failure, and logs only bugs", async () => {
  await using store = await openTestStore();
  const log = new LogLines();
  const execution = await store.accept();
  const failureOf = (error: unknown) => toFailure(error, { execution, log });
  const expected = [
    new ModelError("The model does not answer", { retryable: true }),
    new ToolsUnavailable('There is no skill "x"'),
    new StorageUnavailable("The disk is full"),
  ];
  for (const one of expected) {
    // A transient failure does not count toward the pause of the trigger.
    const transient = one instanceof ModelError && { transient: { kind: "network" } };
    const outcome = { status: "error", error: one.message, output: null, ...transient };
    assert.deepEqual(failureOf(one), outcome);
  }
  const stopped = { status: "aborted", error: "Cancelled", output: null };
  assert.deepEqual(failureOf(new RunStopped("Cancelled")), stopped);
  assert.deepEqual(log.lines, []);
  const internal = "Internal error: the service's log has the details";
  for (const error of [new TypeError("secret is undefined"), "thrown", new ExecutionNotFound()]) {
    assert.deepEqual(failureOf(error), { status: "error", error: internal, output: null });
    const message = "An execution failed inside Inkling";
    const fields = { execution: execution.id, error };
    assert.deepEqual(log.lines.splice(0), [{ level: "error", message, fields }]);
  }
});
