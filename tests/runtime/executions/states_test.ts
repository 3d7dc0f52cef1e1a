// The table of states: what it allows, and that what is stored keeps to it.
import assert from "node:assert/strict";
import { stateBefore } from "../../../runtime/executions/states.ts";

Deno.test("stateBefore() knows who may bring an execution where, and refuses everybody else", () => {
  assert.equal(stateBefore("success", "run"), "running");
  assert.equal(stateBefore("aborted", "run"), "running");
  assert.equal(stateBefore("aborted", "outside"), "waiting");
  assert.equal(stateBefore("running", "answer"), "waiting");
  const refusal = new TypeError('No execution becomes "orphaned" by "run"');
  assert.throws(() => stateBefore("orphaned", "run"), refusal);
  assert.throws(() => stateBefore("success", "outside"), TypeError);
  assert.throws(() => stateBefore("running", "run"), TypeError);
});
