import assert from "node:assert/strict";
import {
  type ChangeOrigin,
  FROM_OUTSIDE,
  MAX_CHAIN,
  TriggerBreaker,
} from "../../../../runtime/triggers/watch/trigger_breaker.ts";
import { TestClock } from "../../../support/test_clock.ts";

/** Fires changes like a queue, one run each. */
class Firing {
  readonly clock = new TestClock();
  readonly breaker = new TriggerBreaker(this.clock);
  #lastId = 0;

  /** Plays a run that writes a file with a tool, which fires the next run. */
  writeNext(path: string, agent: string): string | undefined {
    this.clock.jump(10_000);
    return this.fire(path, { agent, origin: { previous: this.#lastId, continues: true } });
  }

  /** Returns why the change is refused. Otherwise the change fires, and its run ends after `forMs`. */
  fire(
    path: string,
    options: { forMs?: number; agent?: string; origin?: ChangeOrigin; maxRuns?: number } = {},
  ): string | undefined {
    const { forMs = 0, agent = "a", origin = this.breaker.originOf(path), maxRuns = Infinity } =
      options;
    const refusal = this.breaker.refusal(agent, { path, origin, maxRuns });
    if (refusal !== undefined) return refusal.reason;
    const executionId = this.begin(path, { agent, origin });
    this.clock.jump(forMs);
    this.breaker.ended(executionId);
    return undefined;
  }

  /** Starts a run that stays open. */
  begin(path: string, options: { agent: string; origin?: ChangeOrigin }): number {
    const { agent, origin = this.breaker.originOf(path) } = options;
    const executionId = ++this.#lastId;
    this.breaker.started(agent, { executionId, path, origin });
    return executionId;
  }

  /** Plays a run that makes the change that fires the next run. */
  causeNext(path: string, agent = "a"): string | undefined {
    return this.fire(path, { forMs: 10_000, agent });
  }
}

function times(count: number, work: (i: number) => string | undefined): (string | undefined)[] {
  return Array.from({ length: count }, (_, i) => work(i));
}

Deno.test("TriggerBreaker refuses a path that fires more than 20 times a minute", () => {
  const firing = new Firing();
  const quickly = () => firing.fire("/a", { origin: FROM_OUTSIDE });
  assert.deepEqual(times(20, quickly), Array(20).fill(undefined));
  assert.match(quickly() ?? "", /^\/a fired more than 20 times within a minute$/);
  assert.equal(firing.fire("/b", { origin: FROM_OUTSIDE }), undefined, "another path");
  assert.equal(firing.fire("/a", { origin: FROM_OUTSIDE, agent: "b" }), undefined, "another agent");
  firing.clock.jump(60_000);
  assert.equal(quickly(), undefined, "a minute later");
});

Deno.test("TriggerBreaker lets a path fire forever at 20 times a minute", () => {
  const firing = new Firing();
  const outcomes = times(100, () => {
    firing.clock.jump(3_001);
    return firing.fire("/a", { origin: FROM_OUTSIDE });
  });
  assert.ok(outcomes.every((one) => one === undefined));
});

const CASES = [
  ["its own path", ["/a"]],
  ["two paths in turn", ["/a", "/b"]],
  ["five paths in turn", ["/a", "/b", "/c", "/d", "/e"]],
] as const;
for (const [what, paths] of CASES) {
  Deno.test(`TriggerBreaker refuses when each run makes the change that fires the next one: ${what}`, () => {
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

Deno.test("TriggerBreaker: new files in between neither end nor extend a loop", () => {
  const firing = new Firing();
  const outcomes = times(
    60,
    (i) => i % 3 === 2 ? firing.fire(`/new/${i}`, { forMs: 1 }) : firing.causeNext("/a"),
  );
  assert.ok(outcomes.some((one) => one !== undefined));
});

Deno.test("TriggerBreaker: many writes of one run do not make its chain longer", () => {
  const firing = new Firing();
  firing.fire("/split", { agent: "splitter" });
  const origin = { previous: 1, continues: true };
  for (let i = 0; i < 500; i++) {
    assert.equal(firing.fire(`/part-${i}`, { agent: "worker", origin, forMs: 100 }), undefined);
  }
});

Deno.test("TriggerBreaker: a write after a person's answer starts a new chain", () => {
  const firing = new Firing();
  for (let i = 0; i < 60; i++) {
    assert.equal(firing.writeNext(`/${i}`, i % 2 === 0 ? "ping" : "pong"), undefined);
    firing.breaker.resumed(i + 1);
  }
});

Deno.test("TriggerBreaker counts two simultaneous loops separately", () => {
  const firing = new Firing();
  const running = ["/a", "/b"].map((path) => ({ path, id: firing.begin(path, { agent: path }) }));
  for (let round = 1; round < MAX_CHAIN; round++) {
    for (const one of running) {
      // Both runs are open while its path changes.
      const origin = firing.breaker.originOf(one.path);
      const change = { path: one.path, origin, maxRuns: Infinity };
      assert.equal(firing.breaker.refusal(one.path, change), undefined, `round ${round}`);
      firing.breaker.ended(one.id);
      one.id = firing.begin(one.path, { agent: one.path, origin });
      firing.clock.jump(10_000);
    }
  }
  assert.match(firing.fire("/a", { agent: "/a" }) ?? "", /more than 20 runs in a row/);
  assert.match(firing.fire("/b", { agent: "/b" }) ?? "", /more than 20 runs in a row/);
});

Deno.test("TriggerBreaker refuses more runs of one agent in ten minutes than max_runs", () => {
  const firing = new Firing();
  const fireNext = (i: number, agent = "a") =>
    firing.fire(`/${i}`, { origin: FROM_OUTSIDE, agent, maxRuns: 3 });
  assert.deepEqual(times(3, fireNext), Array(3).fill(undefined));
  const refusal =
    "changed files started it 3 times within ten minutes, as often as trigger.max_runs allows";
  assert.equal(fireNext(3), refusal);
  assert.equal(fireNext(3, "b"), undefined, "another agent");
  firing.clock.jump(599_999);
  assert.equal(fireNext(3), refusal);
  firing.clock.jump(1);
  assert.equal(fireNext(3), undefined, "ten minutes later");
  firing.breaker.reset("a");
  assert.deepEqual(times(3, fireNext), Array(3).fill(undefined), "counted anew");
});

Deno.test("TriggerBreaker.reset() counts from zero", () => {
  const firing = new Firing();
  times(25, () => firing.causeNext("/a"));
  assert.ok(firing.causeNext("/a") !== undefined);
  firing.breaker.reset("a");
  assert.deepEqual(times(19, () => firing.causeNext("/a")), Array(19).fill(undefined));
  for (let i = 0; i < 20; i++) firing.fire("/q", { origin: FROM_OUTSIDE });
  assert.ok(firing.fire("/q", { origin: FROM_OUTSIDE }) !== undefined);
  firing.breaker.reset("other");
  assert.ok(firing.fire("/q", { origin: FROM_OUTSIDE }) !== undefined);
  firing.breaker.reset("a");
  assert.equal(firing.fire("/q", { origin: FROM_OUTSIDE }), undefined);
});

Deno.test("TriggerBreaker: a clock that is set back does not make it refuse", () => {
  const firing = new Firing();
  for (let i = 0; i < 20; i++) firing.fire("/a", { origin: FROM_OUTSIDE });
  firing.clock.jump(-3_600_000);
  assert.equal(firing.fire("/a", { origin: FROM_OUTSIDE }), undefined);
});
