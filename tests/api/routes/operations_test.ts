import assert from "node:assert/strict";
import { LAZY_OPERATIONS, warmUp } from "../../../api/routes/operations.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

Deno.test("warmUp() loads every operation soon after the start", async () => {
  const opened = new Set<string>();
  const former = LAZY_OPERATIONS.map((place) => place.load);
  for (const place of LAZY_OPERATIONS) {
    const load = place.load.bind(place);
    place.load = () => {
      opened.add(`${place.method} ${place.path}`);
      return load();
    };
  }
  try {
    const [clock, log] = [new TestClock(), new LogLines()];
    const stopped = new AbortController();
    const ended = warmUp({ clock, log }, stopped.signal);
    stopped.abort();
    await ended;
    assert.equal(opened.size, 0);
    const warm = warmUp({ clock, log }, new AbortController().signal);
    assert.equal(opened.size, 0);
    await clock.advance(1_000);
    await warm;
    assert.equal(opened.size, LAZY_OPERATIONS.length);
    assert.deepEqual(log.lines, []);
  } finally {
    for (const [i, place] of LAZY_OPERATIONS.entries()) place.load = former[i] ?? place.load;
  }
});

Deno.test("warmUp() logs a module that cannot be loaded and continues", async () => {
  const [place] = LAZY_OPERATIONS;
  assert.ok(place !== undefined);
  const { load } = place;
  place.load = () => Promise.reject(new TypeError("Module not found"));
  try {
    const [clock, log] = [new TestClock(), new LogLines()];
    const warm = warmUp({ clock, log }, new AbortController().signal);
    await clock.advance(1_000);
    await warm;
    assert.equal(log.lines.length, 1);
  } finally {
    place.load = load;
  }
});
