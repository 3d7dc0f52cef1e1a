import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_CHAIN } from "../../runtime/triggers/loop_limits.ts";
import { type Fed, FedLanes } from "./fed_lanes.ts";

/** Milliseconds. */
const SHORT = fc.integer({ min: 20, max: 3_000 });
const LONG = fc.integer({ min: 3_000, max: 300_000 });
const RUN = fc.oneof(SHORT, LONG);
const DEBOUNCE = fc.constantFrom(0, 50, 500, 2_000, 20_000);

/** An agent whose runs leave so many new files, after so much of their time. */
function looping(options: { runMs: number; at: number; files: number; to?: string }): Fed["play"] {
  const { runMs, at, files, to } = options;
  const afterMs = Math.floor(runMs * at);
  return () => ({ runMs, writes: Array.from({ length: files }, () => ({ afterMs, to })) });
}

Deno.test("WatchLoopDetector finds an agent whose runs leave a new file for it, whenever they do", () => {
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(fc.property(RUN, at, DEBOUNCE, (runMs, at, debounceMs) => {
    const lanes = new FedLanes([
      { id: "a", debounceMs, play: looping({ runMs, at, files: 1 }) },
    ]);
    lanes.drop("a", 0);
    lanes.play({ runs: 1_000 });
    assert.deepEqual(lanes.stopped, ["a"]);
    assert.equal(lanes.runs, MAX_CHAIN);
  }));
});

Deno.test("WatchLoopDetector finds an agent whose runs leave several files for it, before all of them have run", () => {
  for (const runMs of [1_000, 60_000]) {
    const lanes = new FedLanes([
      { id: "a", debounceMs: 500, play: looping({ runMs, at: 0.5, files: 3 }) },
    ]);
    lanes.drop("a", 0);
    lanes.play({ runs: 1_000 });
    assert.deepEqual(lanes.stopped, ["a"]);
    assert.ok(lanes.runs < 300, `${lanes.runs} runs`);
  }
});

Deno.test("WatchLoopDetector finds agents that leave new files for each other", () => {
  fc.assert(fc.property(RUN, RUN, DEBOUNCE, (pingMs, pongMs, debounceMs) => {
    const lanes = new FedLanes([
      { id: "ping", debounceMs, play: looping({ runMs: pingMs, at: 1, files: 1, to: "pong" }) },
      { id: "pong", debounceMs, play: looping({ runMs: pongMs, at: 0.5, files: 1, to: "ping" }) },
    ]);
    lanes.drop("ping", 0);
    lanes.play({ runs: 1_000 });
    assert.equal(lanes.stopped.length, 1);
    assert.ok(lanes.runs <= 2 * MAX_CHAIN + 1, `${lanes.runs} runs`);
  }));
});

Deno.test("WatchLoopDetector finds a loop while somebody else's folder is filled, and stops only the loop", () => {
  fc.assert(fc.property(SHORT, fc.integer({ min: 3_000, max: 20_000 }), (runMs, everyMs) => {
    const lanes = new FedLanes([
      { id: "a", debounceMs: 50, play: looping({ runMs, at: 0.5, files: 1 }) },
      { id: "b", debounceMs: 50, play: () => ({ runMs: 300, writes: [] }) },
    ]);
    for (let i = 0; i < 200; i++) lanes.drop("b", i * everyMs);
    lanes.drop("a", 0);
    lanes.play({ runs: 10_000 });
    assert.deepEqual(lanes.stopped, ["a"]);
  }));
});

Deno.test("WatchLoopDetector finds a loop also when the clock is set back, and lets a busy folder go on", () => {
  for (const isLoop of [true, false]) {
    const play = looping({ runMs: 700, at: 1, files: isLoop ? 1 : 0 });
    const lanes = new FedLanes([{ id: "a", debounceMs: 50, play }]);
    for (let i = 0; i < (isLoop ? 1 : 300); i++) lanes.drop("a", i * 400);
    lanes.play({ runs: 12 });
    lanes.setClock(-3_600_000);
    lanes.play({ runs: 1_000 });
    assert.deepEqual(lanes.stopped, isLoop ? ["a"] : []);
    assert.ok(isLoop ? lanes.runs <= 2 * MAX_CHAIN : lanes.runs === 300, `${lanes.runs} runs`);
  }
});

Deno.test("WatchLoopDetector: files that come at regular times stop nothing, however long the runs take", () => {
  fc.assert(fc.property(
    fc.integer({ min: 20, max: 120_000 }),
    RUN,
    DEBOUNCE,
    (everyMs, runMs, debounceMs) => {
      const lanes = new FedLanes([{
        id: "a",
        debounceMs,
        play: () => ({ runMs, writes: [] }),
      }]);
      for (let i = 0; i < 400; i++) lanes.drop("a", i * everyMs);
      lanes.play({ runs: 1_000 });
      assert.deepEqual(lanes.stopped, []);
      assert.equal(lanes.runs, 400);
    },
  ));
});

Deno.test("WatchLoopDetector: one run that takes an hour, of this agent or of another one, holds the others up for moments", () => {
  for (const isOther of [false, true]) {
    const began: number[] = [];
    const play = (long: number): Fed["play"] => {
      let played = 0;
      return () => {
        began.push(lanes.clock.now());
        return { runMs: ++played === long ? 3_600_000 : 2_000, writes: [] };
      };
    };
    const lanes: FedLanes = new FedLanes([
      { id: "a", debounceMs: 50, play: play(isOther ? -1 : 3) },
      ...(isOther ? [{ id: "b", debounceMs: 50, play: play(12) }] : []),
    ]);
    for (let i = 0; i < 1_000; i++) lanes.drop("a", i * 700);
    for (let i = 0; isOther && i < 1_000; i++) lanes.drop("b", i * 700);
    lanes.play({ runs: 10_000 });
    assert.deepEqual(lanes.stopped, []);
    const gaps = began.map((at, index) => at - (began[index - 1] ?? at));
    assert.ok(Math.max(...gaps) < 60_000, `${Math.max(...gaps)} ms`);
  }
});

Deno.test("WatchLoopDetector: files that come by chance, one or many at a time, stop nothing", () => {
  const pauses = fc.array(
    fc.record({
      pauseMs: fc.oneof(SHORT, LONG),
      files: fc.constantFrom(1, 1, 1, 2, 30),
    }),
    { minLength: 100, maxLength: 200 },
  );
  const runs = fc.array(RUN, { minLength: 5, maxLength: 20 });
  fc.assert(fc.property(pauses, runs, DEBOUNCE, (drops, runMs, debounceMs) => {
    let played = 0;
    const lanes = new FedLanes([{
      id: "a",
      debounceMs,
      play: () => ({ runMs: runMs[played++ % runMs.length] ?? 0, writes: [] }),
    }]);
    let at = 0;
    let count = 0;
    for (const { pauseMs, files } of drops) {
      at += pauseMs;
      for (let i = 0; i < files; i++) lanes.drop("a", at);
      count += files;
    }
    lanes.play({ runs: 10_000 });
    assert.deepEqual(lanes.stopped, []);
    assert.equal(lanes.runs, count);
  }));
});

Deno.test("WatchLoopDetector: a chain of agents, fed from outside as fast as it can work, is stopped nowhere", () => {
  // Runs of just over two seconds: each file of the second agent comes right after a quiet of a second.
  const examples: [number, number][] = [[20, 2_017], [25, 2_021]];
  fc.assert(
    fc.property(SHORT, SHORT, (everyMs, runMs) => {
      const lanes = new FedLanes([
        { id: "first", debounceMs: 50, play: looping({ runMs, at: 1, files: 1, to: "second" }) },
        { id: "second", debounceMs: 50, play: () => ({ runMs, writes: [] }) },
      ]);
      for (let i = 0; i < 300; i++) lanes.drop("first", i * everyMs);
      lanes.play({ runs: 10_000 });
      assert.deepEqual(lanes.stopped, []);
      assert.equal(lanes.runs, 600);
    }),
    { examples },
  );
});
