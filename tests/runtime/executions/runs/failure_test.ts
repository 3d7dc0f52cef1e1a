// What a person reads of a run that threw: an expected sentence, or that the log has the details; never a bug's own words.
import assert from "node:assert/strict";
import { toFailure } from "../../../../runtime/executions/runs/failure.ts";
import { ExecutionNotFound } from "../../../../runtime/executions/refusals.ts";
import { RunStopped } from "../../../../runtime/executions/runs/run.ts";
import { ModelError } from "../../../../runtime/models/model.ts";
import { StorageUnavailable } from "../../../../runtime/storage/database.ts";
import { ToolsUnavailable } from "../../../../runtime/tools/tools_unavailable.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { openTestStore } from "../../../support/test_store.ts";

Deno.test("toFailure() gives the sentence of what can be expected to fail, and logs nothing", async () => {
  await using store = await openTestStore();
  const context = { execution: await store.accept(), serviceLog: new LogLines() };
  for (
    const error of [
      new ModelError("The model does not answer", { retryable: true }),
      new ToolsUnavailable('There is no skill "x"'),
      new StorageUnavailable("The disk is full"),
    ]
  ) {
    assert.deepEqual(toFailure(error, context), {
      status: "error",
      error: error.message,
      output: null,
    });
  }
  assert.deepEqual(toFailure(new RunStopped("Cancelled"), context), {
    status: "aborted",
    error: "Cancelled",
    output: null,
  });
  assert.deepEqual(context.serviceLog.lines, []);
});

Deno.test("toFailure() shows nobody the words of a bug, and logs all of it", async () => {
  await using store = await openTestStore();
  const context = { execution: await store.accept(), serviceLog: new LogLines() };
  for (
    const error of [new TypeError("secret is undefined"), "thrown text", new ExecutionNotFound()]
  ) {
    assert.deepEqual(toFailure(error, context), {
      status: "error",
      error: "Internal error: the service's log has the details",
      output: null,
    });
    assert.deepEqual(context.serviceLog.lines.splice(0), [{
      level: "error",
      message: "An execution failed inside Inkling",
      fields: { execution: context.execution.id, error },
    }]);
  }
});
