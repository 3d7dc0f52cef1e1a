import assert from "node:assert/strict";
import { Interrupted } from "../../../cli/exit.ts";
import { RunCancellation } from "../../../cli/runs/run_cancellation.ts";
import { ServiceUnreachable } from "../../../server/client.ts";
import { settle, TestClock } from "../../support/test_clock.ts";

/** A cancellation of execution 7, what is said about it, and how often the service was asked. */
function world(cancel: () => Promise<void> = () => Promise.resolve()) {
  const clock = new TestClock();
  const said: string[] = [];
  const asked: number[] = [];
  const cancellation = new RunCancellation({
    clock,
    executionId: 7,
    output: {
      note: (text: string) => void said.push(`note: ${text}`),
      error: (text: string) => void said.push(`error: ${text}`),
    },
    client: {
      async cancel(id: number) {
        asked.push(id);
        await cancel();
        return { execution_id: id, status: "cancelling" as const };
      },
    },
  });
  return { cancellation, clock, said, asked };
}

const NOTE = "note: Cancelling execution 7. Ctrl+C again stops waiting for it";

Deno.test("RunCancellation asks the service once, and says nothing more when the run ends", async () => {
  const { cancellation, said, asked } = world();
  assert.equal(cancellation.isRequested, false);
  cancellation.request();
  cancellation.request();
  assert.equal(cancellation.isRequested, true);
  await settle();
  assert.equal(cancellation.signal.aborted, false);
  cancellation[Symbol.dispose]();
  await settle();
  assert.deepEqual([said, asked], [[NOTE], [7]]);
});

Deno.test("RunCancellation gives a run up that does not end within fifteen seconds", async () => {
  const { cancellation, clock, said } = world();
  cancellation.request();
  await settle();
  await clock.advance(14_999);
  assert.equal(cancellation.signal.aborted, false);
  await clock.advance(1);
  await settle();
  assert.ok(cancellation.signal.reason instanceof Interrupted);
  assert.deepEqual(said, [NOTE, "error: Execution 7 has not ended yet: inkling logs -e 7"]);
});

Deno.test("RunCancellation gives a run up that cannot be cancelled, and says why", async () => {
  const reasons: [Error, string][] = [
    [new ServiceUnreachable("gone"), "the service does not answer"],
    [new Error("It is not there"), "It is not there"],
  ];
  for (const [failure, reason] of reasons) {
    const { cancellation, said } = world(() => Promise.reject(failure));
    cancellation.request();
    await settle();
    assert.ok(cancellation.signal.reason instanceof Interrupted);
    assert.equal(said[1], `error: Execution 7 could not be cancelled: ${reason}`);
  }
});
