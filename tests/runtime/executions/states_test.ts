// Tests the transitions between the states of an execution.
import assert from "node:assert/strict";
import {
  checkTransition,
  TRANSITION_FRAMES,
} from "../../../runtime/executions/record/frame_contents.ts";
import {
  EXECUTION_STATUSES,
  stateBefore,
  TRANSITIONS,
} from "../../../runtime/executions/states.ts";

Deno.test("an execution makes only the allowed transitions", () => {
  assert.deepEqual(TRANSITIONS.map(({ from, to, by }) => `${from} > ${to}: ${by}`), [
    "running > waiting: run",
    "running > success: run",
    "running > error: run",
    "running > aborted: run",
    "running > aborted: nobody",
    "running > timeout: run",
    "running > orphaned: recovery",
    "waiting > running: answer",
    "waiting > aborted: outside",
  ]);
});

Deno.test("stateBefore() returns the state before an allowed transition, and refuses any other", () => {
  assert.equal(stateBefore("success", "run"), "running");
  assert.equal(stateBefore("aborted", "run"), "running");
  assert.equal(stateBefore("aborted", "outside"), "waiting");
  assert.equal(stateBefore("running", "answer"), "waiting");
  const refusal = new TypeError('No execution becomes "orphaned" by "run"');
  assert.throws(() => stateBefore("orphaned", "run"), refusal);
  assert.throws(() => stateBefore("success", "outside"), TypeError);
  assert.throws(() => stateBefore("running", "run"), TypeError);
});

Deno.test("checkTransition() accepts only the frames of a transition, for each state", () => {
  const frame = { event: "meta", eventType: "meta", message: "" } as const;
  for (const next of EXECUTION_STATUSES) {
    const frames = TRANSITION_FRAMES[next].map((eventType) => ({ ...frame, eventType }));
    assert.equal(checkTransition(next, frames), frames);
    assert.throws(
      () => checkTransition(next, [...frames, frame]),
      new TypeError(`A transition to "${next}" writes no frame "meta"`),
    );
  }
});
