import assert from "node:assert/strict";
import { OPERATION_PLACES } from "../../api/operations/operations.ts";
import { warmUp } from "../../server/warm_up.ts";
import { LogLines } from "../support/log_lines.ts";
import { TestClock } from "../support/test_clock.ts";

Deno.test("warmUp() loads every operation soon after the start, and nothing after the service stops", async () => {
  const opened = new Set<string>();
  const former = OPERATION_PLACES.map((place) => place.open);
  for (const place of OPERATION_PLACES) {
    const open = place.open.bind(place);
    place.open = () => {
      opened.add(`${place.method} ${place.path}`);
      return open();
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
    assert.equal(opened.size, OPERATION_PLACES.length);
    assert.deepEqual(log.lines, []);
  } finally {
    for (const [i, place] of OPERATION_PLACES.entries()) place.open = former[i] ?? place.open;
  }
});

Deno.test("warmUp() logs a module that cannot be loaded, and does not fail", async () => {
  const [place] = OPERATION_PLACES;
  assert.ok(place !== undefined);
  const { open } = place;
  place.open = () => Promise.reject(new TypeError("Module not found"));
  try {
    const [clock, log] = [new TestClock(), new LogLines()];
    const warm = warmUp({ clock, log }, new AbortController().signal);
    await clock.advance(1_000);
    await warm;
    assert.equal(log.lines.length, 1);
  } finally {
    place.open = open;
  }
});
