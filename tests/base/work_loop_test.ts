import assert from "node:assert/strict";
import { WorkLoop } from "../../base/work_loop.ts";
import { TestClock } from "../support/test_clock.ts";

Deno.test("WorkLoop works when it is due or woken, and ends when it is closed", async () => {
  const clock = new TestClock();
  const waits = [1_000, 1_000, undefined, undefined];
  let runs = 0;
  const loop = new WorkLoop({
    clock,
    work: () => Promise.resolve(waits[runs++]),
    failed: (error) => assert.fail(String(error)),
    retry: { firstMs: 1, longestMs: 1 },
  });
  loop.start();
  await clock.advance(999);
  assert.equal(runs, 1);
  loop.start();
  await clock.advance(1);
  assert.equal(runs, 2, "a start does not shorten the wait");
  loop.wake();
  await clock.advance(0);
  assert.equal(runs, 3, "a wake does");
  assert.equal(clock.sleeping, 0, "no timer without a next time");
  loop.wake();
  await loop[Symbol.asyncDispose]();
  loop.wake();
  await clock.advance(2_000);
  assert.ok(runs <= 4);
});

Deno.test("WorkLoop retries failed work with growing delays", async () => {
  const clock = new TestClock();
  let failures = 0;
  await using loop = new WorkLoop({
    clock,
    work: () => Promise.reject(new Error("no disk")),
    failed: () => void failures++,
    retry: { firstMs: 10, longestMs: 20 },
  });
  loop.start();
  await clock.advance(10);
  assert.equal(failures, 2);
  await clock.advance(19);
  assert.equal(failures, 2);
  await clock.advance(1);
  assert.equal(failures, 3);
});
