import assert from "node:assert/strict";
import { MAX_CHAIN, TriggerBreaker } from "../../runtime/triggers/trigger_breaker.ts";
import { TestClock } from "../support/test_clock.ts";

/** Fires changes as a lane does, one run each. */
class Firing {
  readonly clock = new TestClock();
  readonly breaker = new TriggerBreaker(this.clock);
  #lastId = 0;

  /** Why the change is refused; else it fires, and the run is over after `forMs`. */
  fire(
    path: string,
    options: { forMs?: number; agent?: string; chain?: number } = {},
  ): string | undefined {
    const { forMs = 0, agent = "a", chain = this.breaker.currentChain() } = options;
    const refusal = this.breaker.refusal(agent, { path, chain });
    if (refusal !== undefined) return refusal;
    const executionId = ++this.#lastId;
    this.breaker.started(agent, { executionId, path, chain });
    this.clock.jump(forMs);
    this.breaker.ended(executionId);
    return undefined;
  }

  /** A run that makes the change that fires the next one. */
  causeNext(path: string, agent = "a"): string | undefined {
    return this.fire(path, { forMs: 10_000, agent });
  }
}

function times(count: number, work: (i: number) => string | undefined): (string | undefined)[] {
  return Array.from({ length: count }, (_, i) => work(i));
}

Deno.test("TriggerBreaker refuses a path that fires more than 20 times a minute", () => {
  const firing = new Firing();
  const quickly = () => firing.fire("/a", { chain: 0 });
  assert.deepEqual(times(20, quickly), Array(20).fill(undefined));
  assert.match(quickly() ?? "", /^\/a fired more than 20 times within a minute$/);
  assert.equal(firing.fire("/b", { chain: 0 }), undefined, "another path");
  assert.equal(firing.fire("/a", { chain: 0, agent: "b" }), undefined, "another agent");
  firing.clock.jump(60_000);
  assert.equal(quickly(), undefined, "a minute later");
});

Deno.test("TriggerBreaker lets a path fire for ever, as often as that", () => {
  const firing = new Firing();
  const outcomes = times(100, () => {
    firing.clock.jump(3_001);
    return firing.fire("/a", { chain: 0 });
  });
  assert.ok(outcomes.every((one) => one === undefined));
});

for (
  const [what, paths] of [
    ["its own path", ["/a"]],
    ["two paths in turn", ["/a", "/b"]],
    ["five paths in turn", ["/a", "/b", "/c", "/d", "/e"]],
  ] as const
) {
  Deno.test(`TriggerBreaker refuses when each run changes what fires the next one: ${what}`, () => {
    const firing = new Firing();
    const outcomes = times(
      MAX_CHAIN + paths.length + 1,
      (i) => firing.causeNext(paths[i % paths.length] ?? ""),
    );
    const first = outcomes.findIndex((one) => one !== undefined);
    assert.ok(first >= MAX_CHAIN && first < MAX_CHAIN + paths.length, `refused at ${first}`);
    assert.match(outcomes[first] ?? "", /more than 20 runs in a row/);
  });
}

Deno.test("TriggerBreaker refuses when two agents fire each other", () => {
  const firing = new Firing();
  const outcomes = times(
    30,
    (i) => i % 2 === 0 ? firing.causeNext("/a", "reader") : firing.causeNext("/b", "writer"),
  );
  assert.ok(outcomes.some((one) => one !== undefined));
});

Deno.test("TriggerBreaker sees a change that the file system tells of right after the run", () => {
  const firing = new Firing();
  const outcomes = times(MAX_CHAIN + 1, () => {
    firing.clock.jump(900);
    return firing.causeNext("/a");
  });
  assert.ok(outcomes.at(-1) !== undefined);
});

Deno.test("TriggerBreaker: changes made while nothing runs are no chain", () => {
  const firing = new Firing();
  const outcomes = times(100, () => {
    firing.clock.jump(1_100);
    return firing.causeNext("/a");
  });
  assert.ok(outcomes.every((one) => one === undefined));
});

Deno.test("TriggerBreaker: a steady stream of new files while others run is no chain", () => {
  const firing = new Firing();
  const outcomes = times(500, (i) => firing.causeNext(`/inbox/${i}`));
  assert.ok(outcomes.every((one) => one === undefined));
});

Deno.test("TriggerBreaker: a burst over many files, three times over, is no chain", () => {
  const firing = new Firing();
  for (let round = 0; round < 3; round++) {
    // All changes of a round happen at once and wait their turn, with the chain of that moment.
    const chain = firing.breaker.currentChain();
    for (let i = 0; i < 100; i++) {
      assert.equal(firing.fire(`/${i}`, { forMs: 10_000, chain }), undefined);
    }
  }
});

Deno.test("TriggerBreaker: new files in between end no loop, nor do they prolong it", () => {
  const firing = new Firing();
  const outcomes = times(
    60,
    (i) => i % 3 === 2 ? firing.fire(`/new/${i}`, { forMs: 1 }) : firing.causeNext("/a"),
  );
  assert.ok(outcomes.some((one) => one !== undefined));
});

Deno.test("TriggerBreaker.reset() counts anew", () => {
  const firing = new Firing();
  times(25, () => firing.causeNext("/a"));
  assert.ok(firing.causeNext("/a") !== undefined);
  firing.breaker.reset("a");
  assert.deepEqual(times(20, () => firing.causeNext("/a")), Array(20).fill(undefined));
  for (let i = 0; i < 20; i++) firing.fire("/q", { chain: 0 });
  assert.ok(firing.fire("/q", { chain: 0 }) !== undefined);
  firing.breaker.reset("other");
  assert.ok(firing.fire("/q", { chain: 0 }) !== undefined);
  firing.breaker.reset("a");
  assert.equal(firing.fire("/q", { chain: 0 }), undefined);
});

Deno.test("TriggerBreaker: a clock that is set back does not make it refuse", () => {
  const firing = new Firing();
  for (let i = 0; i < 20; i++) firing.fire("/a", { chain: 0 });
  firing.clock.jump(-3_600_000);
  assert.equal(firing.fire("/a", { chain: 0 }), undefined);
});
