import assert from "node:assert/strict";
import { EventBursts } from "../../runtime/triggers/event_bursts.ts";
import { TestClock } from "../support/test_clock.ts";

/** Looks that are counted, each of which takes so long. */
function countedLooks() {
  const clock = new TestClock();
  const looks = {
    count: 0,
    takesMs: 0,
    bursts: new EventBursts(clock, async () => {
      looks.count++;
      await clock.sleep(looks.takesMs);
    }),
  };
  const tell = (events: number) => {
    for (let i = 0; i < events; i++) looks.bursts.count();
  };
  return { clock, looks, tell };
}

Deno.test("EventBursts looks at everything once, as soon as it is quiet after many events", async () => {
  const { clock, looks, tell } = countedLooks();
  await using _ = looks.bursts;
  tell(200);
  await clock.advance(200);
  tell(101);
  await clock.advance(200);
  tell(1);
  await clock.advance(399);
  assert.equal(looks.count, 0);
  await clock.advance(1);
  assert.equal(looks.count, 1);
  await clock.advance(100_000);
  assert.equal(looks.count, 1);
});

Deno.test("EventBursts lets events that come now and then be", async () => {
  const { clock, looks, tell } = countedLooks();
  await using _ = looks.bursts;
  for (let i = 0; i < 20; i++) {
    tell(300);
    await clock.advance(301);
  }
  assert.equal(looks.count, 0);
  assert.equal(clock.sleeping, 0);
});

Deno.test("EventBursts looks after five seconds of a burst that does not end", async () => {
  const { clock, looks, tell } = countedLooks();
  await using _ = looks.bursts;
  tell(301);
  for (let i = 0; i < 48; i++) {
    await clock.advance(100);
    tell(1);
  }
  assert.equal(looks.count, 0);
  for (let i = 0; i < 4; i++) {
    await clock.advance(100);
    tell(1);
  }
  assert.equal(looks.count, 1);
});

Deno.test("EventBursts rests after a look that took long, a minute at most", async () => {
  // It rests until ten times the look's time is over; or for a minute, once it is quiet.
  for (const [takesMs, untilNextMs] of [[500, 5_000], [9_000, 60_300]] as const) {
    const { clock, looks, tell } = countedLooks();
    await using _ = looks.bursts;
    looks.takesMs = takesMs;
    tell(301);
    await clock.advance(300 + takesMs);
    assert.equal(looks.count, 1);
    tell(301);
    await clock.advance(untilNextMs - 1);
    assert.equal(looks.count, 1);
    await clock.advance(1);
    assert.equal(looks.count, 2);
    await clock.advance(takesMs);
  }
});

Deno.test("EventBursts looks again after as many events while it looked", async () => {
  const { clock, looks, tell } = countedLooks();
  await using _ = looks.bursts;
  looks.takesMs = 1_000;
  tell(301);
  await clock.advance(300);
  assert.equal(looks.count, 1);
  // However far apart: what is told while it looks may be lost.
  tell(200);
  await clock.advance(500);
  tell(101);
  await clock.advance(100_000);
  assert.equal(looks.count, 2);
});

Deno.test("EventBursts looks at nothing after its end, neither of a burst nor of a rest", async () => {
  for (const isRest of [false, true]) {
    const { clock, looks, tell } = countedLooks();
    looks.takesMs = 500;
    tell(301);
    if (isRest) {
      await clock.advance(800);
      tell(301);
      await clock.advance(1_000);
    }
    const before = looks.count;
    await looks.bursts[Symbol.asyncDispose]();
    await clock.advance(100_000);
    assert.equal(looks.count, before);
    assert.equal(clock.sleeping, 0);
  }
});
