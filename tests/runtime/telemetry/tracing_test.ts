import assert from "node:assert/strict";
import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { type TracedWork, Tracing } from "../../../runtime/telemetry/tracing.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

/** Tracing without an exporter, which tells what it was asked to. */
function world(isBroken = false) {
  const clock = new TestClock();
  const log = new LogLines();
  const measured: [number, unknown][] = [];
  const tracer = {
    startSpan: () => {
      if (isBroken) throw new Error("broken");
      return trace.wrapSpanContext({ traceId: "1", spanId: "1", traceFlags: 0 });
    },
  };
  const traced: TracedWork<string> = {
    name: "work",
    kind: SpanKind.INTERNAL,
    attributes: {},
    above: ROOT_CONTEXT,
    judge: () => ({}),
    measure: (seconds, error) => measured.push([seconds, error]),
  };
  return { tracing: new Tracing({ tracer, clock, log }), traced, clock, log, measured };
}

Deno.test("Tracing.follow() passes a result and an error on, and measures both", async () => {
  const { tracing, traced, clock, measured } = world();
  const result = await tracing.follow(traced, async () => {
    await clock.advance(1_500);
    return await Promise.resolve("done");
  });
  assert.equal(result, "done");
  await assert.rejects(
    tracing.follow(traced, () => Promise.reject(new TypeError("no"))),
    TypeError,
  );
  assert.deepEqual(measured, [[1.5, {}], [0, { "error.type": "TypeError" }]]);
});

Deno.test("Tracing.follow() does the work once though its span cannot be begun, and says so once", async () => {
  const { tracing, traced, log, measured } = world(true);
  let done = 0;
  for (const expected of [1, 2, 3]) {
    await tracing.follow(traced, () => Promise.resolve(String(++done)));
    assert.equal(done, expected);
  }
  assert.deepEqual(measured, []);
  assert.equal(log.lines.length, 1);
});

Deno.test("Tracing.follow() gives a work that throws at once as a rejection", async () => {
  const { tracing, traced } = world();
  const thrown = new Error("at once");
  const work = () => {
    throw thrown;
  };
  await assert.rejects(tracing.follow(traced, work), thrown);
});
